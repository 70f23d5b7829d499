import type { TxtChange } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';

/** The changes of one call at one name. */
export interface Wanted {
  readonly name: DnsName;
  readonly present: readonly string[];
  readonly absent: readonly string[];
  /** What the ledger says we hold there. It holds intents: some may never have been written. */
  readonly held: readonly string[];
  /** Seconds; of a new set, and of the one we hold. */
  readonly ttl: number;
}

/** Gathers the changes of one name. Pure. */
export function toWanted(name: DnsName, changes: readonly TxtChange[]): Wanted {
  const valuesOf = (state: TxtChange['state']) =>
    changes.filter((one) => one.state === state).map(({ value }) => value);
  const held = new Set(changes.flatMap((change) => change.held.values));
  const ttl = changes.find((change) => change.held.ttl !== undefined)?.held.ttl ?? (changes[0] as TxtChange).ttl;
  return { name, present: valuesOf('present'), absent: valuesOf('absent'), held: [...held], ttl };
}

/** Of likely and other guesses together. */
export const mostGuesses = 8;

/**
 * What a simple set at the name may hold if it is ours alone; an empty guess is "nothing is there".
 *
 * likely  the values before this call, and those after it: its first answer may have been lost
 * others  those before it without some that were never written, the newest left out first; then other choices among
 *         our values. With three values these and the likely ones are all that there are
 *
 * Pure.
 */
export function guessesOf({ present, absent, held }: Omit<Wanted, 'name' | 'ttl'>): {
  readonly likely: readonly (readonly string[])[];
  readonly others: readonly (readonly string[])[];
} {
  const ours = [...new Set([...held, ...absent, ...present])];
  const before = ours.filter((value) => !present.includes(value));
  const after = ours.filter((value) => !absent.includes(value));
  const guesses = new Map([before, after].map((guess) => [JSON.stringify(guess), guess]));
  const likely = [...guesses.values()];
  for (const guess of choicesOf(before, ours)) {
    if (guesses.size === mostGuesses) break;
    guesses.set(JSON.stringify(guess), guess);
  }
  return { likely, others: [...guesses.values()].slice(likely.length) };
}

function* choicesOf(...pools: readonly (readonly string[])[]): Generator<string[]> {
  for (const pool of pools) for (let count = 0; count < pool.length; count++) yield* leavingOut(pool, count);
}

/** All choices of `values` without `count` of them, those without the last ones first. */
function* leavingOut(values: readonly string[], count: number): Generator<string[]> {
  if (count === 0) yield [...values];
  else
    for (let at = values.length - 1; at >= count - 1; at--)
      for (const head of leavingOut(values.slice(0, at), count - 1)) yield [...head, ...values.slice(at + 1)];
}
