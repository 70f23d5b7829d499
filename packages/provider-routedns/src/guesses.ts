import type { TxtChange } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Wanted } from './record-sets.ts';

/** Gathers the changes of one name. Pure. */
export function toWanted(name: DnsName, changes: readonly TxtChange[]): Wanted {
  const valuesOf = (state: TxtChange['state']) =>
    changes.filter((one) => one.state === state).map(({ value }) => value);
  const absent = valuesOf('absent');
  const held = new Set(changes.flatMap((change) => change.held.values));
  // A single change is not told of its own value; what is to go has most likely been written.
  if (changes.length === 1) for (const value of absent) held.add(value);
  const ttl = changes.find((change) => change.held.ttl !== undefined)?.held.ttl ?? (changes[0] as TxtChange).ttl;
  return { name, present: valuesOf('present'), absent, held: [...held], ttl };
}

const mostFirst = 3;
const mostLater = 3;

/**
 * What may stand at the name if it is ours alone, the likeliest first; each is a set of values, empty when nothing is
 * there. The ledger holds intents, so some of its values may never have been written, or be gone already:
 *
 * first   nothing, where only the values of this call are held; what the ledger says; what this call leaves behind;
 *         what the ledger says with all that is to go
 * later   the same without one of the values, the newest first
 *
 * Pure.
 */
export function guessesOf({ present, absent, held }: Wanted): {
  readonly first: readonly (readonly string[])[];
  readonly later: readonly (readonly string[])[];
} {
  const done = [...new Set([...held, ...present])].filter((value) => !absent.includes(value));
  const fresh = held.filter((value) => !present.includes(value));
  const all = [...new Set([...held, ...absent])];
  const first = distinct([...(fresh.length === 0 ? [[]] : []), held, done, all]).slice(0, mostFirst);
  const without = (values: readonly string[]) => values.map((value) => values.filter((one) => one !== value)).reverse();
  const later = distinct([all, fresh, ...without(all), ...without(done)]);
  return { first, later: later.filter((guess) => guess.length > 0 && !includes(first, guess)).slice(0, mostLater) };
}

function distinct(guesses: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return guesses.filter((guess, at) => !includes(guesses.slice(0, at), guess));
}

function includes(guesses: readonly (readonly string[])[], guess: readonly string[]): boolean {
  return guesses.some((other) => keyOf(other) === keyOf(guess));
}

function keyOf(values: readonly string[]): string {
  return JSON.stringify([...values].sort());
}
