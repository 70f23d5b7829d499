import { toDnsName } from '@zoneproof/dns';
import type { ChangeListInfo, StagedDiff } from './answers.ts';
import { judgeLeftover, type Leftover, type OwnList } from './leftover.ts';

const name = toDnsName('_acme-challenge.example.com');
const wanted = [{ name, ttl: 300, present: ['a'], absent: ['b'], held: ['c'] }];
const diff = (from: string[], to: string[], more: Partial<StagedDiff> = {}): StagedDiff => ({
  name,
  type: 'TXT',
  from: { rdata: from, ttl: 300 },
  to: { rdata: to, ttl: 300 },
  ...more,
});
const ours = diff(['"x"', '"b"'], ['"x"', '"a"']);
const theirs = diff([], ['"192.0.2.1"'], { name: 'www.example.com', type: 'A' });
const mine: OwnList = { unanswered: false, zoneVersionId: 'v1' };
const seconds = (age: number, stale = false): ChangeListInfo => ({ zoneVersionId: 'v1', stale, ageMs: age * 1000 });

test.each<[string, ChangeListInfo, readonly StagedDiff[], OwnList | undefined, Leftover]>([
  ['empty, and made by this process', seconds(0), [], mine, 'adopt'],
  ['empty, and of another version than ours', seconds(0), [], { ...mine, zoneVersionId: 'v0' }, 'busy'],
  [
    'empty, after a creation that was not answered',
    seconds(0),
    [],
    { unanswered: true, zoneVersionId: undefined },
    'adopt',
  ],
  ['empty and young', seconds(59), [], undefined, 'busy'],
  ['empty and left behind', seconds(61), [], undefined, 'adopt'],
  ['empty, stale, and left behind', seconds(61, true), [], undefined, 'replace'],
  ['empty, stale and young', seconds(1, true), [], undefined, 'busy'],
  ['our values, staged by this process', seconds(0), [ours], mine, 'discard'],
  ['our values, quiet', seconds(6), [ours], undefined, 'discard'],
  ['our values, in use', seconds(4), [ours], undefined, 'busy'],
  ['our values, stale', seconds(6, true), [ours], undefined, 'replace'],
  ['a held value', seconds(6), [diff(['"c"'], [])], undefined, 'discard'],
  ['ours and a foreign value at our name', seconds(600), [diff(['"x"'], ['"a"'])], undefined, 'foreign'],
  ['ours and another name', seconds(600), [ours, theirs], mine, 'foreign'],
  ['another type at our name', seconds(600), [{ ...ours, type: 'CAA' }], mine, 'foreign'],
  ['only a TTL', seconds(600), [diff(['"a"'], ['"a"'])], mine, 'foreign'],
  ['what the answer does not tell', seconds(600), [{ ...ours, to: undefined }], mine, 'foreign'],
  ['foreign and young', seconds(10), [theirs], undefined, 'busy'],
  ['foreign, stale and left behind', seconds(61, true), [theirs], undefined, 'replace'],
  ['of unknown age', { ...seconds(0), ageMs: undefined }, [], undefined, 'busy'],
])('a list that is %s', (_title, list, sets, own, verdict) => {
  expect(judgeLeftover(list, { sets, settings: 0 }, own, wanted)).toBe(verdict);
});

test('a list with settings of the zone is never ours', () => {
  expect(judgeLeftover(seconds(600), { sets: [ours], settings: 1 }, mine, wanted)).toBe('foreign');
  expect(judgeLeftover(seconds(600), { sets: [], settings: 1 }, mine, wanted)).toBe('foreign');
});
