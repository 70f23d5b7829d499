import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { ProviderError, Receipt } from '@zoneproof/core';
import type { Blame } from './batch-refusal.ts';
import { create, identifierOf, mergeChanges, multivalueSet, remove, replaceSimple } from './record-sets.ts';
import { guessesOf, mostGuesses, type Wanted } from './wanted.ts';

/** The most writes of a climb: one for each guess. Other ways up are shorter. */
export const mostWrites = mostGuesses;

/** What a climb asks for next: changes to be sent, in one batch with those of other names, or the sets at its name. */
export type Rung = { readonly send: readonly Change[] } | 'read';

type Written =
  | { readonly kind: 'done'; readonly receipt: Receipt | undefined }
  | { readonly kind: 'refused'; readonly blames: readonly Blame[] };
type Read =
  | { readonly kind: 'sets'; readonly sets: readonly ResourceRecordSet[] }
  | { readonly kind: 'unreadable'; readonly error: ProviderError };
export type Answer = Written | Read;

/**
 * How a climb ends. `before` are values of this call that were there before it changed anything; `unclear` is what Route
 * 53 said last, where it was not understood.
 *
 * done        all is as wanted
 * conflict    what was read has changed before it could be written
 * unreadable  other values stand there, and they could not be read
 * outside     the zone does not hold the name
 * blocked     no TXT value can stand there
 */
export type Ending =
  | { readonly kind: 'done'; readonly before: readonly string[]; readonly receipt: Receipt | undefined }
  | { readonly kind: 'conflict'; readonly unclear: string | undefined }
  | { readonly kind: 'unreadable'; readonly error: ProviderError; readonly unclear: string | undefined }
  | { readonly kind: 'outside' | 'blocked'; readonly text: string };

/** Not at the end yet. `simpleSet` is what refusals have proven. */
interface Open {
  readonly kind: 'open';
  readonly simpleSet: 'stands' | 'none' | 'perhaps';
  readonly unclear: string | undefined;
}

export type Climb<Result = Ending> = Generator<Rung, Result, Answer>;

/**
 * Brings the values at one name about with as little as the access policy may grant:
 *
 * 1. the simple set is created, or replaced on the word of the ledger: DELETE and CREATE in one batch, which Route 53
 *    refuses unless the set is exactly that one
 * 2. where multivalue sets stand, one of our own for each value
 * 3. the sets are read and merged: DELETE as read and CREATE in one batch
 * 4. where they may not be read, more guesses at what of the ledger was really written
 *
 * Every write is a compare-and-set, so no rung can take away what is not ours, whatever Route 53's words are taken for.
 * They save rungs, and prove one thing only: that a value is gone, where no set that could hold it was found.
 */
export function* climb(wanted: Wanted): Climb {
  const { likely, others } = guessesOf(wanted);
  let reached = yield* trySimple(wanted, likely);
  if (reached.kind !== 'open') return reached;
  const { simpleSet } = reached;
  // That a value is gone is proven only where no simple set can hold it.
  if (simpleSet === 'none' || (simpleSet === 'perhaps' && wanted.absent.length === 0)) {
    reached = yield* tryMultivalue(wanted);
    if (reached.kind !== 'open') return reached;
  }
  const answer = (yield 'read') as Read;
  if (answer.kind === 'sets') return yield* merge(wanted, answer.sets);
  if (answer.error.kind === 'permission' && simpleSet === 'stands') {
    reached = yield* trySimple(wanted, others);
    if (reached.kind !== 'open') return reached;
  }
  return { kind: 'unreadable', error: answer.error, unclear: reached.unclear };
}

function* trySimple(wanted: Wanted, guesses: readonly (readonly string[])[]): Climb<Ending | Open> {
  let simpleSet: Open['simpleSet'] = 'perhaps';
  let unclear: string | undefined;
  for (const guess of guesses) {
    const send = replaceSimple(guess, wanted);
    if (send.length === 0) continue;
    const answer = (yield { send }) as Written;
    if (answer.kind === 'done') return { ...answer, before: guess };
    const { blames } = answer;
    const end = endOf(blames, wanted);
    if (end !== undefined) return end;
    unclear = unclearOf(blames);
    const found = (reason: Blame['reason']) => blames.some((blame) => blame.reason === reason);
    if (found('exists') || found('differs')) simpleSet = 'stands';
    else if (found('other-kind')) return { kind: 'open', simpleSet: 'none', unclear };
    else if (found('not-found') && guess.length > 0)
      return wanted.present.length > 0 ? yield* trySimple(wanted, [[]]) : { kind: 'open', simpleSet: 'none', unclear };
  }
  return { kind: 'open', simpleSet, unclear };
}

/** Open when other sets exclude ours, or a set of ours is not as we left it. */
function* tryMultivalue(wanted: Wanted): Climb<Ending | Open> {
  const { name, present, absent, ttl } = wanted;
  const open = new Map<string, readonly Change[]>();
  for (const value of absent) open.set(value, [remove(multivalueSet(name, value, ttl))]);
  for (const value of present) open.set(value, [create(multivalueSet(name, value, ttl))]);
  const before = new Set(absent);
  while (open.size > 0) {
    const answer = (yield { send: [...open.values()].flat() }) as Written;
    if (answer.kind === 'done') return { ...answer, before: [...before] };
    const { blames } = answer;
    const end = endOf(blames, wanted);
    if (end !== undefined) return end;
    let learnt = false;
    for (const value of open.keys()) {
      const found = (reason: Blame['reason']) =>
        blames.some((blame) => blame.reason === reason && blame.text.includes(identifierOf(value)));
      if (absent.includes(value) ? !found('not-found') : before.has(value) || !found('exists')) continue;
      learnt = true;
      if (before.delete(value)) open.delete(value);
      else {
        // That it holds our value, and nothing else, is proven by replacing it with itself.
        const set = multivalueSet(name, value, ttl);
        before.add(value);
        open.set(value, [remove(set), create(set)]);
      }
    }
    if (!learnt) return { kind: 'open', simpleSet: 'perhaps', unclear: unclearOf(blames) };
  }
  return { kind: 'done', before: [...before], receipt: undefined };
}

function* merge(wanted: Wanted, sets: readonly ResourceRecordSet[]): Climb {
  const { changes, before, blocked } = mergeChanges(sets, wanted);
  if (blocked !== undefined) return { kind: 'blocked', text: blocked };
  if (changes.length === 0) return { kind: 'done', before, receipt: undefined };
  const answer = (yield { send: changes }) as Written;
  if (answer.kind === 'done') return { ...answer, before };
  return endOf(answer.blames, wanted) ?? { kind: 'conflict', unclear: unclearOf(answer.blames) };
}

/** Where no further rung can help. */
function endOf(blames: readonly Blame[], { present }: Wanted): Ending | undefined {
  const find = (reason: Blame['reason']) => blames.find((blame) => blame.reason === reason);
  const outside = find('outside');
  const cname = find('cname');
  // A zone that cannot hold the name holds no value of ours there.
  if (outside !== undefined && present.length === 0) return { kind: 'done', before: [], receipt: undefined };
  if (outside !== undefined) return { kind: 'outside', text: outside.text };
  return cname && { kind: 'blocked', text: cname.text };
}

function unclearOf(blames: readonly Blame[]): string | undefined {
  return blames.find(({ reason }) => reason === 'unclear')?.text;
}
