import type { TxtChange } from '@zoneproof/core';
import { parseTxt, toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { changeRead, changeUnread, groupByName, type SetChange, type TxtSet } from './rrset.ts';

const name = 'n.example.test.';

function change(state: TxtChange['state'], value: string, held: readonly string[] = [], heldTtl = 77): TxtChange {
  const ttl = held.length > 0 ? heldTtl : undefined;
  return { state, name: toDnsName(name), value, ttl: 60, held: { values: held, ttl } };
}

const set = (rrdatas: readonly string[], ttl = 60): TxtSet => ({ name, ttl, rrdatas });

describe('without reading', () => {
  test.each<[string, TxtChange[], SetChange]>([
    ['a first value is added', [change('present', 'a')], { addition: set(['"a"']) }],
    [
      'apex and wildcard share a set',
      [change('present', 'b'), change('present', 'a')],
      { addition: set(['"a"', '"b"']) },
    ],
    [
      'a value beside one of ours',
      [change('present', 'a', ['b'])],
      { deletion: set(['"b"'], 77), addition: set(['"a"', '"b"'], 77) },
    ],
    ['the last value is deleted', [change('absent', 'a')], { deletion: set(['"a"']) }],
    [
      'one of two is deleted',
      [change('absent', 'a', ['b'])],
      { deletion: set(['"a"', '"b"'], 77), addition: set(['"b"'], 77) },
    ],
    [
      'one takes the place of another',
      [change('present', 'b', ['a']), change('absent', 'a')],
      { deletion: set(['"a"'], 77), addition: set(['"b"'], 77) },
    ],
    [
      'two intended together are not held to be there',
      [change('present', 'a', ['b']), change('present', 'b', ['a'])],
      { addition: set(['"a"', '"b"'], 77) },
    ],
  ])('%s', (_title, changes, expected) => {
    expect(changeUnread({ name, changes })).toEqual(expected);
  });
});

describe('over what stands there', () => {
  test.each<[string, TxtChange[], TxtSet | undefined, SetChange | undefined]>([
    ['nothing', [change('present', 'a')], undefined, { addition: set(['"a"']) }],
    ['the value itself', [change('present', 'a')], set(['"a"'], 5), undefined],
    ['nothing to delete', [change('absent', 'a')], undefined, undefined],
    ['nothing of that to delete', [change('absent', 'a')], set(['"x"'], 5), undefined],
    [
      'foreign values, to the letter and with their TTL',
      [change('present', 'a')],
      set(['x y', '"q\\"" "r"'], 5),
      { deletion: set(['x y', '"q\\"" "r"'], 5), addition: set(['"a"', '"q\\"" "r"', 'x y'], 5) },
    ],
    [
      'ours among foreign ones',
      [change('absent', 'a')],
      set(['"x"', '"a"'], 5),
      { deletion: set(['"x"', '"a"'], 5), addition: set(['"x"'], 5) },
    ],
    ['ours alone', [change('absent', 'a')], set(['"a"'], 5), { deletion: set(['"a"'], 5) }],
    ['ours in another spelling', [change('absent', 'a')], set(['a'], 5), { deletion: set(['a'], 5) }],
    [
      'one there already, one not',
      [change('present', 'a'), change('present', 'b')],
      set(['"a"'], 5),
      { deletion: set(['"a"'], 5), addition: set(['"a"', '"b"'], 5) },
    ],
  ])('%s', (_title, changes, stored, expected) => {
    expect(changeRead({ name, changes }, stored)).toEqual(expected);
  });
});

test('the changes of a name come together, in the order of their names', () => {
  const other = { ...change('present', 'c'), name: toDnsName('o.example.test') };
  const [a, b] = [change('present', 'a'), change('absent', 'b')];
  expect(groupByName([a, other, b])).toEqual([
    { name, changes: [a, b] },
    { name: 'o.example.test.', changes: [other] },
  ]);
});

test('whatever stands there: the result holds what is wanted and every foreign value, and a second look finds it so', () => {
  const letters = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y'), { maxLength: 6 });
  const states = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('present', 'absent')), {
    selector: ([value]) => value,
    minLength: 1,
  });
  fc.assert(
    fc.property(letters, states, (there, wished) => {
      const stored =
        there.length === 0
          ? undefined
          : set(
              there.map((value) => `"${value}"`),
              5,
            );
      const changes = wished.map(([value, state]) => change(state as TxtChange['state'], value));
      const made = changeRead({ name, changes }, stored);
      const after = made === undefined ? stored : made.addition;
      const values = (after?.rrdatas ?? []).map((rrdata) => parseTxt(rrdata)?.join(''));
      const untouched = there.filter((value) => !wished.some(([other]) => other === value));
      const expected = [...untouched, ...wished.flatMap(([value, state]) => (state === 'present' ? [value] : []))];
      expect([...values].sort()).toEqual(expected.sort());
      expect(changeRead({ name, changes }, after)).toBeUndefined();
      if (made) expect(made.deletion).toEqual(stored);
    }),
    { seed: 4, numRuns: 500 },
  );
});

test('what was written without reading is deleted without reading: the guess is the stored set to the letter', () => {
  const two = changeUnread({ name, changes: [change('present', 'b'), change('present', 'a')] }).addition;
  const one = changeUnread({ name, changes: [change('absent', 'b', ['a'], 60)] });
  expect(one.deletion).toEqual(two);
  expect(changeUnread({ name, changes: [change('absent', 'a')] }).deletion).toEqual(one.addition);
});
