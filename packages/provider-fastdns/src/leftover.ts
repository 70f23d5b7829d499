import type { ChangeListDiff, ChangeListInfo, StagedDiff } from './answers.ts';
import { txtValueOf, type WantedSet } from './record-set.ts';

/**
 * What to do about a change list that is there before ours: Akamai keeps one per user and zone, and a user is all
 * processes and people that share the API client.
 *
 * busy       somebody may be at work with it just now
 * discard    it is empty or holds only values of ours, from a call that did not end: remove it and make a new one
 * replace    nobody can submit it any more, since the zone has changed: make a new one in its place
 * foreign    it holds changes of somebody else, who has left it for a while
 */
export type Leftover = 'busy' | 'discard' | 'replace' | 'foreign';

/** A call lasts 30 s: a list that was not touched for this long has nobody at work with it. */
export const abandonedAfterMs = 60_000;

/** Pure. `isMine`: this process has made it, so that whoever works with it is none other. */
export function judgeLeftover(
  list: ChangeListInfo,
  { sets, settings }: Pick<ChangeListDiff, 'sets' | 'settings'>,
  isMine: boolean,
  wanted: readonly WantedSet[],
): Leftover {
  const isAbandoned = list.ageMs !== undefined && list.ageMs > abandonedAfterMs;
  const isOurs = settings === 0 && sets.every((one) => isOfOurValues(one, wanted));
  if (!isAbandoned && !(isMine && isOurs)) return 'busy';
  if (list.stale) return 'replace';
  return isOurs ? 'discard' : 'foreign';
}

/** A TXT set that is to be written, changed in nothing but values that our ledger holds. */
function isOfOurValues({ name, type, from, to }: StagedDiff, wanted: readonly WantedSet[]): boolean {
  const set = wanted.find((one) => one.name === name);
  if (set === undefined || type !== 'TXT' || from === undefined || to === undefined) return false;
  const ours = new Set([...set.present, ...set.absent, ...set.held]);
  const [before, after] = [from.rdata, to.rdata];
  const differing = [...before.filter((one) => !after.includes(one)), ...after.filter((one) => !before.includes(one))];
  return differing.length > 0 && differing.every((rdata) => ours.has(txtValueOf(rdata) as string));
}
