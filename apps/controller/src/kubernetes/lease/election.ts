/** Who leads, as one process sees it: data and pure decisions. Each instant is one of its own clocks. */

/** By the clock that only runs on, and by the one that people set. Milliseconds. */
export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

/** What a Lease says that matters to others. */
export interface LeaseRecord {
  /** resourceVersion: another one means that its holder was alive. */
  readonly version: string;
  /** Empty: given back. */
  readonly holder: string;
  /** How long its holder counts on each renewal; undefined when it does not say. */
  readonly durationMs: number | undefined;
}

export interface Terms {
  /** Another one for each process, also in the same Pod. */
  readonly me: string;
  readonly durationMs: number;
}

export interface Election {
  /** The Lease as last read or written, and since when it has been that. `absent`: there is none. */
  readonly seen?: { readonly record: LeaseRecord | 'absent'; readonly since: Instant };
  /** While leading: when the last successful write was begun, and when (monotonic) the next one is due. */
  readonly held?: { readonly from: Instant; readonly renewAt: number };
}

export type Step =
  /** Look at the Lease again after `ms`. */
  | { readonly do: 'look'; readonly ms: number }
  | { readonly do: 'create' }
  | { readonly do: 'take' }
  | { readonly do: 'renew' }
  | { readonly do: 'rest'; readonly ms: number }
  | { readonly do: 'step-down'; readonly why: string };

/** What happens next. `share` is random, from 0 up to 1: many candidates must not ask in step. */
export function decide(election: Election, terms: Terms, now: Instant, share: number): Step {
  const { seen, held } = election;
  if (held === undefined) {
    if (seen === undefined) return { do: 'look', ms: 0 };
    if (!isFree(seen, terms, now)) return { do: 'look', ms: lookEveryMs(terms) * (1 - share / 4) };
    return { do: seen.record === 'absent' ? 'create' : 'take' };
  }
  const record = seen?.record;
  if (record === 'absent') return { do: 'step-down', why: 'somebody deleted it' };
  if (record?.holder !== terms.me) return { do: 'step-down', why: `${record?.holder || 'nobody'} is its holder now` };
  if (!mayAct(election, terms, now)) {
    const { ms, clock } = longest(held.from, now);
    const why = `it was last renewed ${(ms / 1000).toFixed(1)} s ago by the ${clock} clock`;
    return { do: 'step-down', why };
  }
  const ms = held.renewAt - now.monotonic;
  return ms > 0 ? { do: 'rest', ms } : { do: 'renew' };
}

/**
 * Whether it is certain that nobody else leads. Others take over a whole duration after they first saw the last
 * renewal, which cannot have been before it began; the fifth that is left is for clocks of different speed and for
 * the time between this question and the effect. The wall clock is asked too, since the monotonic one stands still
 * while a machine sleeps; when it was set forward by hand, that costs a restart.
 */
export function mayAct({ held }: Election, terms: Terms, now: Instant): boolean {
  return held !== undefined && longest(held.from, now).ms < leadsForMs(terms);
}

export function leadsForMs({ durationMs }: Terms): number {
  return durationMs * 0.8;
}

/** The Lease was read; `now` is an instant after the answer came. */
export function observed(election: Election, record: LeaseRecord | 'absent', terms: Terms, now: Instant): Election {
  const { seen } = election;
  // It was deleted while its holder counts on it.
  if (record === 'absent' && seen !== undefined && !isFree(seen, terms, now) && election.held === undefined)
    return election;
  const same = seen !== undefined && versionOf(seen.record) === versionOf(record);
  return { ...election, seen: same ? seen : { record, since: now } };
}

/** A write of ours that began at `from` succeeded and left `record`. */
export function renewed(record: LeaseRecord, from: Instant, now: Instant, terms: Terms, share: number): Election {
  // A third leaves room for several more attempts.
  const renewAt = from.monotonic + (terms.durationMs / 3) * (1 - share / 10);
  return { seen: { record, since: now }, held: { from, renewAt } };
}

/** A renewal failed, or nobody knows: it is tried again soon. */
export function postponed(election: Election, terms: Terms, now: Instant, share: number): Election {
  if (election.held === undefined) return election;
  const renewAt = now.monotonic + retryEveryMs(terms, share);
  return { ...election, held: { ...election.held, renewAt } };
}

export function retryEveryMs({ durationMs }: Terms, share: number): number {
  return (durationMs / 15) * (1 - share / 4);
}

/** A candidate takes over within a second when the Lease is given back. */
function lookEveryMs({ durationMs }: Terms): number {
  return Math.min(800, durationMs / 6);
}

/** Whether the Lease is ours to take: given back, or unchanged for as long as its holder may count on it. */
function isFree({ record, since }: NonNullable<Election['seen']>, terms: Terms, now: Instant): boolean {
  if (record === 'absent' || record.holder === '' || record.holder === terms.me) return true;
  return now.monotonic - since.monotonic >= Math.min(record.durationMs ?? terms.durationMs, longestMs);
}

/** No zoneproof counts on a Lease for longer, so a slip of the hand in it locks nobody out for ever. */
export const longestMs = 600_000;

function versionOf(record: LeaseRecord | 'absent'): string {
  return record === 'absent' ? '' : record.version;
}

function longest(from: Instant, now: Instant): { readonly ms: number; readonly clock: 'monotonic' | 'wall' } {
  const monotonic = now.monotonic - from.monotonic;
  const wall = now.wall - from.wall;
  return wall > monotonic ? { ms: wall, clock: 'wall' } : { ms: monotonic, clock: 'monotonic' };
}
