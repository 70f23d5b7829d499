import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { ProviderError, Receipt } from '@zoneproof/core';
import type { Blame } from './batch-refusal.ts';
import { guessesOf } from './guesses.ts';
import {
  create,
  identifierOf,
  mergeChanges,
  multivalueSet,
  remove,
  replaceSimple,
  valuesOf,
  type Wanted,
} from './record-sets.ts';

/**
 * The most writes of a climb: four guesses at the simple set, three tries of multivalue sets and a merge, or three late
 * guesses instead of it.
 */
export const mostWrites = 8;
const mostMultivalueTries = 3;

/** What a climb asks for next: changes to be sent, in one batch with those of other names, or the sets at its name. */
export type Rung = { readonly send: readonly Change[] } | 'read';

export type Answer =
  | { readonly kind: 'done'; readonly receipt: Receipt | undefined }
  | { readonly kind: 'refused'; readonly blames: readonly Blame[] }
  | { readonly kind: 'sets'; readonly sets: readonly ResourceRecordSet[] }
  | { readonly kind: 'unreadable'; readonly error: ProviderError };

/**
 * How a climb ends. `before` are the values of this call that were there before it changed anything.
 *
 * done        all is as wanted
 * conflict    what was read has changed before it could be written
 * unreadable  other values stand there, and they could not be read
 * refused     for a reason that no further rung can help
 */
export type Ending =
  | { readonly kind: 'done'; readonly before: readonly string[]; readonly receipt: Receipt | undefined }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unreadable'; readonly error: ProviderError }
  | { readonly kind: 'refused'; readonly reason: 'outside' | 'blocked'; readonly text: string };

/**
 * Brings the values at one name about with as little as the access policy may grant:
 *
 * 1. the simple set is created, or replaced on the word of the ledger: DELETE and CREATE in one batch, which Route 53
 *    refuses unless the set is exactly that one
 * 2. where multivalue sets stand, one of our own for each value
 * 3. the sets are read and merged: DELETE as read and CREATE in one batch
 * 4. where they may not be read, some more guesses about what of the ledger was really written
 *
 * A rung never takes away a value that is not ours: a refusal changes nothing.
 */
export function* climb(wanted: Wanted): Generator<Rung, Ending, Answer> {
  const guesses = guessesOf(wanted);
  const simple = yield* trySimple(wanted, guesses.first);
  if (simple.kind !== 'no-guess') return simple.ending;
  // That a value is gone is proven only where no simple set can hold it.
  if (simple.stands !== 'simple' && (simple.stands !== 'unknown' || wanted.absent.length === 0)) {
    const ending = yield* tryMultivalue(wanted);
    if (ending !== undefined) return ending;
  }
  const read = yield 'read';
  if (read.kind === 'sets') return yield* merge(wanted, read.sets);
  const error = (read as Answer & { kind: 'unreadable' }).error;
  if (error.kind === 'permission' && simple.stands === 'simple') {
    const late = yield* trySimple(wanted, guesses.later);
    if (late.kind !== 'no-guess') return late.ending;
  }
  return { kind: 'unreadable', error };
}

type Tried =
  | { readonly kind: 'ended'; readonly ending: Ending }
  /** What is known to stand there instead. */
  | { readonly kind: 'no-guess'; readonly stands: Stands };

type Stands = 'simple' | 'multivalue' | 'nothing' | 'unknown';

function* trySimple(wanted: Wanted, guesses: readonly (readonly string[])[]): Generator<Rung, Tried, Answer> {
  let stands: Stands = 'unknown';
  // Once it turns out that no simple set is there, only its creation is left to try.
  const queue = [...guesses];
  for (let guess = queue.shift(); guess !== undefined; guess = queue.shift()) {
    if (guess.length === 0 ? stands === 'simple' : stands === 'nothing') continue;
    const send = replaceSimple(guess, wanted);
    if (send.length === 0) continue;
    const answer = yield { send };
    if (answer.kind === 'done') return ended({ kind: 'done', before: guess, receipt: answer.receipt });
    const blames = (answer as Answer & { kind: 'refused' }).blames;
    const end = hopeless(blames);
    if (end !== undefined) return ended(end);
    const reasons = new Set(blames.map(({ reason }) => reason));
    if (reasons.has('other-kind')) return { kind: 'no-guess', stands: 'multivalue' };
    if (reasons.has('exists') || reasons.has('differs')) stands = 'simple';
    else if (reasons.has('not-found')) {
      stands = 'nothing';
      if (wanted.present.length > 0 && !guesses.some(({ length }) => length === 0)) queue.push([]);
    }
  }
  return { kind: 'no-guess', stands };
}

/** Undefined when a simple set stands there, or a set of ours is not as we left it. */
function* tryMultivalue(wanted: Wanted): Generator<Rung, Ending | undefined, Answer> {
  const { name, ttl } = wanted;
  const open = new Map<string, Change>();
  for (const value of wanted.absent) open.set(value, remove(multivalueSet(name, value, ttl)));
  for (const value of wanted.present) open.set(value, create(multivalueSet(name, value, ttl)));
  const before = new Set(wanted.absent);
  let receipt: Receipt | undefined;
  for (let tries = 0; open.size > 0; tries++) {
    if (tries === mostMultivalueTries) return undefined;
    const answer = yield { send: [...open.values()] };
    if (answer.kind === 'done') {
      receipt = answer.receipt;
      break;
    }
    const { blames } = answer as Answer & { kind: 'refused' };
    const end = hopeless(blames);
    if (end !== undefined) return end;
    const settled = [...open.keys()].filter((value) =>
      blames.some(
        ({ reason, setIdentifier }) =>
          setIdentifier === identifierOf(value) && (reason === 'exists' || reason === 'not-found'),
      ),
    );
    if (settled.length === 0) return undefined;
    for (const value of settled) {
      open.delete(value);
      // Created already, or removed already.
      if (!before.delete(value)) before.add(value);
    }
  }
  return { kind: 'done', before: [...before], receipt };
}

function* merge(wanted: Wanted, sets: readonly ResourceRecordSet[]): Generator<Rung, Ending, Answer> {
  const send = mergeChanges(sets, wanted);
  if ('blocked' in send) return { kind: 'refused', reason: 'blocked', text: send.blocked };
  if (send.length === 0) return { kind: 'done', before: wanted.present, receipt: undefined };
  const answer = yield { send };
  if (answer.kind === 'done') return { kind: 'done', before: sets.flatMap(valuesOf), receipt: answer.receipt };
  return hopeless((answer as Answer & { kind: 'refused' }).blames) ?? { kind: 'conflict' };
}

function hopeless(blames: readonly Blame[]): Ending | undefined {
  const outside = blames.find(({ reason }) => reason === 'outside');
  if (outside !== undefined) return { kind: 'refused', reason: 'outside', text: outside.text };
  const cname = blames.find(({ text }) => /conflicting RRSet of type\s+CNAME/.test(text));
  return cname && { kind: 'refused', reason: 'blocked', text: cname.text };
}

function ended(ending: Ending): Tried {
  return { kind: 'ended', ending };
}
