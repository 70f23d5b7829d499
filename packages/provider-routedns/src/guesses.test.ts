import type { TxtChange } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { guessesOf, toWanted } from './guesses.ts';

const name = toDnsName('_acme-challenge.a.test');

function guesses(changes: readonly (readonly ['present' | 'absent', string])[], held: string) {
  const wanted = toWanted(
    name,
    changes.map(([state, value]): TxtChange => {
      const values = [...held].filter((one) => one !== value);
      return { state, name, value, ttl: 60, held: { values, ttl: values.length > 0 ? 30 : undefined } };
    }),
  );
  const { first, later } = guessesOf(wanted);
  const text = (list: readonly (readonly string[])[]) =>
    list.map((values) => [...values].sort().join('') || '-').join(' ');
  return { first: text(first), later: text(later), ttl: wanted.ttl };
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
    '- ab',
    'b a',
  ],
  ['one more beside what is held', [['present', 'b']], 'a', 'a ab', 'b'],
  ['the only value goes', [['absent', 'a']], 'a', 'a -', ''],
  ['one of two goes', [['absent', 'a']], 'ab', 'ab b', 'a'],
  [
    'one takes the place of another',
    [
      ['present', 'b'],
      ['absent', 'a'],
    ],
    'a',
    'a b',
    '',
  ],
] as const)('%s', (_title, changes, held, first, later) => {
  expect(guesses(changes, held)).toMatchObject({ first, later });
});

test('the TTL is that of what is held', () => {
  expect([guesses([['present', 'a']], '').ttl, guesses([['present', 'b']], 'a').ttl]).toEqual([60, 30]);
});
