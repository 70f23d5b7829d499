import { toDnsName } from '@zoneproof/dns';
import type { ChangeListInfo, StagedDiff } from './answers.ts';
import { judgeLeftover, type Leftover } from './leftover.ts';

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
const seconds = (age: number, stale = false): ChangeListInfo => ({ zoneVersionId: 'v1', stale, ageMs: age * 1000 });

test.each<[string, ChangeListInfo, readonly StagedDiff[], 'mine' | 'unknown', Leftover]>([
  ['empty, and made by this process', seconds(0), [], 'mine', 'discard'],
  ['empty and young', seconds(59), [], 'unknown', 'busy'],
  ['empty and left behind', seconds(61), [], 'unknown', 'discard'],
  ['empty, stale, and left behind', seconds(61, true), [], 'unknown', 'replace'],
  ['empty, stale and young', seconds(1, true), [], 'unknown', 'busy'],
  ['our values, staged by this process', seconds(0), [ours], 'mine', 'discard'],
  ['our values, staged by this process, and stale', seconds(0, true), [ours], 'mine', 'replace'],
  ['our values, perhaps in use by another process of ours', seconds(59), [ours], 'unknown', 'busy'],
  ['our values, left behind', seconds(61), [ours], 'unknown', 'discard'],
  ['our values, stale', seconds(61, true), [ours], 'unknown', 'replace'],
  ['a held value', seconds(61), [diff(['"c"'], [])], 'unknown', 'discard'],
  ['ours and a foreign value at our name', seconds(600), [diff(['"x"'], ['"a"'])], 'unknown', 'foreign'],
  ['ours and another name', seconds(600), [ours, theirs], 'mine', 'foreign'],
  ['ours and another name, young', seconds(1), [ours, theirs], 'mine', 'busy'],
  ['another type at our name', seconds(600), [{ ...ours, type: 'CAA' }], 'mine', 'foreign'],
  ['only a TTL', seconds(600), [diff(['"a"'], ['"a"'])], 'mine', 'foreign'],
  ['what the answer does not tell', seconds(600), [{ ...ours, to: undefined }], 'mine', 'foreign'],
  ['foreign and young', seconds(10), [theirs], 'unknown', 'busy'],
  ['foreign, stale and left behind', seconds(61, true), [theirs], 'unknown', 'replace'],
  ['of unknown age', { ...seconds(0), ageMs: undefined }, [], 'unknown', 'busy'],
])('a list that is %s', (_title, list, sets, whose, verdict) => {
  expect(judgeLeftover(list, { sets, settings: 0 }, whose === 'mine', wanted)).toBe(verdict);
});

test('a list with settings of the zone is never ours', () => {
  expect(judgeLeftover(seconds(600), { sets: [ours], settings: 1 }, true, wanted)).toBe('foreign');
  expect(judgeLeftover(seconds(600), { sets: [], settings: 1 }, true, wanted)).toBe('foreign');
});
