import type { ChallengeStatus, Order } from '../resources/types.ts';
import { type OrderPace, valueKey } from './order-pace.ts';

/** A value that no server has this long after it was written is written once more, then after twice that time... */
const firstMs = 60_000;
const longestMs = 900_000;

/** What an earlier process wrote, or was about to write when it ended: looked for before it is written again. */
export function inheritValues({ status }: Order, pace: OrderPace): void {
  for (const { domain, value = '', step } of status.challenges ?? []) {
    const entry = status.ledger?.find((known) => known.value === value);
    if (entry === undefined || (step !== 'new' && step !== 'presented')) continue;
    pace.publishedAt.set(valueKey(domain, value), entry.since);
    pace.inherited.add(valueKey(domain, value));
  }
}

/**
 * Gives up values that were looked for in vain, so that they are published again: at once those of an earlier process,
 * which may not have come to it, and after a while those that were written and that somebody took away. While one
 * server has them, they are on their way.
 */
export function giveUpLost(challenges: readonly ChallengeStatus[], pace: OrderPace, now: number): void {
  const patienceMs = Math.min(longestMs, firstMs * 2 ** pace.rewrites);
  let hasWaited = false;
  for (const { domain, value = '', step, evidence } of challenges) {
    const key = valueKey(domain, value);
    // What is only concluded from other values says nothing of this one.
    const findings = evidence?.servers.flatMap(({ finding, inferred }) => (inferred ? [] : [finding])) ?? [];
    if (step !== 'presented' || !findings.includes('lacks') || findings.includes('has')) continue;
    const isInherited = pace.inherited.delete(key);
    if (!isInherited && now - (pace.publishedAt.get(key) ?? 0) < patienceMs) continue;
    hasWaited ||= !isInherited;
    pace.publishedAt.delete(key);
    pace.moved.add(domain);
  }
  if (hasWaited) pace.rewrites++;
}
