import type { ChangeListDiff, ChangeListInfo, StagedDiff } from './answers.ts';
import type { WantedSet } from './record-set.ts';
import { fromRdata } from './txt.ts';

/**
 * What to do about a change list that is there before ours: Akamai keeps one per user and zone, and a user is all
 * processes and people that share the API client.
 *
 * adopt    it is empty, and ours or nobody's: use it
 * discard  it holds only values of ours, from a call that did not end: remove it and make a new one
 * replace  the same of a stale one, which nobody can submit any more: make a new one in its place
 * busy     somebody may be at work with it just now
 * foreign  it holds changes of somebody else, who has left it for a while
 */
export type Leftover = 'adopt' | 'discard' | 'replace' | 'busy' | 'foreign';

/** What this process knows of the change list that it made last in the zone; losing it costs a wait. */
export interface OwnList {
  /** The answer to its creation was lost. */
  readonly unanswered: boolean;
  readonly zoneVersionId: string | undefined;
}

/** A call lasts 30 s: a list that was not touched for this long has nobody at work with it. */
export const abandonedAfterMs = 60_000;
/** Values of ours in a list are those of an earlier process, which may be about to end. */
export const quietAfterMs = 5_000;

/** Pure. */
export function judgeLeftover(
  list: ChangeListInfo,
  diff: Pick<ChangeListDiff, 'sets' | 'settings'>,
  own: OwnList | undefined,
  wanted: readonly WantedSet[],
): Leftover {
  const isOlderThan = (ms: number) => list.ageMs !== undefined && list.ageMs > ms;
  const isMine = own !== undefined && (own.unanswered || (own.zoneVersionId ?? '-') === (list.zoneVersionId ?? ''));
  if (diff.sets.length === 0 && diff.settings === 0) {
    if (!isMine && !isOlderThan(abandonedAfterMs)) return 'busy';
    return list.stale ? 'replace' : 'adopt';
  }
  if (diff.settings === 0 && diff.sets.every((one) => isOurs(one, wanted))) {
    if (!isMine && !isOlderThan(quietAfterMs)) return 'busy';
    return list.stale ? 'replace' : 'discard';
  }
  if (!isOlderThan(abandonedAfterMs)) return 'busy';
  return list.stale ? 'replace' : 'foreign';
}

/** A TXT set that is to be written, changed in nothing but values that our ledger holds. */
function isOurs({ name, type, from, to }: StagedDiff, wanted: readonly WantedSet[]): boolean {
  const set = wanted.find((one) => one.name === name);
  if (set === undefined || type !== 'TXT' || from === undefined || to === undefined) return false;
  const ours = new Set([...set.present, ...set.absent, ...set.held]);
  const [before, after] = [from.rdata, to.rdata];
  const differing = [...before.filter((one) => !after.includes(one)), ...after.filter((one) => !before.includes(one))];
  return differing.length > 0 && differing.every((rdata) => ours.has(fromRdata(rdata) as string));
}
