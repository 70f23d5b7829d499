import type { TxtChange } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { guessesOf, toWanted } from './wanted.ts';

const name = toDnsName('_acme-challenge.a.test');

function guesses(changes: readonly (readonly ['present' | 'absent', string])[], held: string) {
  const wanted = toWanted(
    name,
    changes.map(([state, value]): TxtChange => {
      const values = [...held].filter((one) => one !== value);
      return { state, name, value, ttl: 60, held: { values, ttl: values.length > 0 ? 30 : undefined } };
    }),
  );
  const { likely, others } = guessesOf(wanted);
  const text = (list: readonly (readonly string[])[]) => list.map((values) => values.join('') || '-').join(' ');
  return { likely: text(likely), others: text(others), ttl: wanted.ttl };
}

test.each([
  ['a first value: nothing, or it is there already', [['present', 'a']], '', '- a', ''],
  [
    'two values that the ledger knows as intents',
    [
      ['present', 'a'],
      ['present', 'b'],
    ],
    'ab',
    '- ba',
    'b a',
  ],
  ['one more beside what is held', [['present', 'b']], 'a', 'a ab', 'b'],
  ['the only value goes', [['absent', 'a']], 'a', 'a -', ''],
  ['one of two goes', [['absent', 'a']], 'ab', 'ba b', 'a'],
  ['one of three goes', [['absent', 'a']], 'abc', 'bca bc', 'ba ca b c a'],
  ['one more beside two', [['present', 'c']], 'ab', 'ab abc', 'a b ac bc c'],
  [
    'one takes the place of another',
    [
      ['present', 'b'],
      ['absent', 'a'],
    ],
    'a',
    'a b',
    'ab',
  ],
] as const)('%s', (_title, changes, held, likely, others) => {
  expect(guesses(changes, held)).toMatchObject({ likely, others });
});

test('the TTL is that of what is held', () => {
  expect([guesses([['present', 'a']], '').ttl, guesses([['present', 'b']], 'a').ttl]).toEqual([60, 30]);
});

test('guesses are few, differ, and with up to three values are all that can be', () => {
  const letters = fc.subarray([...'abcdefghij']);
  fc.assert(
    fc.property(letters, letters, letters, (present, all, held) => {
      const absent = all.filter((value) => !present.includes(value));
      const { likely, others } = guessesOf({ present, absent, held });
      const keys = [...likely, ...others].map((guess) => [...guess].sort().join(''));
      const ours = new Set([...present, ...absent, ...held]);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBeLessThanOrEqual(8);
      if (ours.size <= 3) expect(keys.filter((key) => key !== '')).toHaveLength(2 ** ours.size - 1);
    }),
    { seed: 20264, numRuns: 500 },
  );
});
