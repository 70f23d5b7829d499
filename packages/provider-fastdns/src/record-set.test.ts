import { toDnsName } from '@zoneproof/dns';
import { editFor, isSameRdata, newSet, type WantedSet, wantedSets } from './record-set.ts';

const name = toDnsName('_acme-challenge.example.com');
const wanted = (present: string[], absent: string[] = []): WantedSet => ({ name, ttl: 300, present, absent, held: [] });
const set = (...rdata: string[]) => ({ name, ttl: 4711, rdata });

test.each<[string, readonly string[] | undefined, WantedSet, object | undefined]>([
  ['adds a set', undefined, wanted(['a', 'b']), { op: 'ADD', ttl: 300, rdata: ['"a"', '"b"'] }],
  ['keeps a foreign value and the TTL', ['"x"'], wanted(['a']), { op: 'EDIT', ttl: 4711, rdata: ['"x"', '"a"'] }],
  ['leaves what is so', ['"a"', '"x"'], wanted(['a'], ['b']), undefined],
  ['knows a value in another form', ['a'], wanted(['a']), undefined],
  [
    'takes one value for another',
    ['"a"', '"x"'],
    wanted(['b'], ['a']),
    { op: 'EDIT', ttl: 4711, rdata: ['"x"', '"b"'] },
  ],
  ['removes the last value', ['"a"'], wanted([], ['a']), { op: 'DELETE' }],
  ['removes every form of a value', ['"a"', 'a', '"x"'], wanted([], ['a']), { op: 'EDIT', ttl: 4711, rdata: ['"x"'] }],
  ['writes back what it cannot read', ['"odd', '"a"'], wanted([], ['a']), { op: 'EDIT', ttl: 4711, rdata: ['"odd'] }],
  ['has nothing to remove', undefined, wanted([], ['a']), undefined],
])('%s', (_title, rdata, one, edit) => {
  expect(editFor(rdata && set(...rdata), one)).toEqual(edit && { name, ...edit });
});

test('changes of one name are one set; what is held besides is what no change names', () => {
  const held = (...values: string[]) => ({ values, ttl: 300 });
  const [first, second] = wantedSets([
    { state: 'present', name, value: 'a', ttl: 300, held: held('b', 'old') },
    { state: 'present', name: toDnsName('b.example.com'), value: 'c', ttl: 300, held: held() },
    { state: 'absent', name, value: 'b', ttl: 300, held: held('a', 'old') },
  ]);
  expect(first).toEqual({ name, ttl: 300, present: ['a'], absent: ['b'], held: ['old'] });
  expect(newSet(second as WantedSet)).toEqual({ name: 'b.example.com', ttl: 300, rdata: ['"c"'] });
});

test('sets are compared by their values, in any order', () => {
  expect(isSameRdata(['"a" "b"', 'c'], ['"c"', '"ab"'])).toBe(true);
  expect(isSameRdata(['"a"', '"a"'], ['"a"'])).toBe(false);
});
