import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { editFor, isSameRdata, newSet, txtValueOf, type WantedSet, wantedSets } from './record-set.ts';

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

test('whatever stands there: the edit leaves what is wanted and every foreign value to the letter, and then nothing to do', () => {
  const spellings = fc.uniqueArray(
    fc.constantFrom('"a"', 'a', '"\\097"', '"b"', '"c"', 'x', '"x y"', '"od"d', '"y" "z"'),
  );
  const wishes = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), {
    selector: ([value]) => value,
    minLength: 1,
  });
  fc.assert(
    fc.property(spellings, wishes, (there, wished) => {
      const current = there.length === 0 ? undefined : set(...there);
      const one = wanted(
        wished.flatMap(([value, isPresent]) => (isPresent ? [value] : [])),
        wished.flatMap(([value, isPresent]) => (isPresent ? [] : [value])),
      );
      const edit = editFor(current, one);
      const after = edit === undefined ? there : edit.op === 'DELETE' ? [] : edit.rdata;
      const isNamed = (rdata: string) => wished.some(([value]) => value === txtValueOf(rdata));
      expect(after.filter((rdata) => !isNamed(rdata))).toEqual(there.filter((rdata) => !isNamed(rdata)));
      const values = new Set(after.map(txtValueOf));
      for (const [value, isPresent] of wished) expect(values.has(value)).toBe(isPresent);
      if (edit !== undefined && edit.op !== 'DELETE') expect(edit.ttl).toBe(current?.ttl ?? 300);
      expect(editFor(after.length === 0 ? undefined : set(...after), one)).toBeUndefined();
    }),
    { seed: 4, numRuns: 500 },
  );
});

test('sets are compared by their values, in any order', () => {
  expect(isSameRdata(['"a" "b"', 'c'], ['"c"', '"ab"'])).toBe(true);
  expect(isSameRdata(['"a"', '"a"'], ['"a"'])).toBe(false);
});
