import type { ChangeListInfo, StagedDiff } from './answers.ts';
import type { WantedSet } from './record-set.ts';
import { fromRdata } from './txt.ts';

/**
 * What to do about a change list that is there before ours: Akamai keeps one per user and zone, and a user is all
 * processes and people that share the API client.
 *
 * adopt    it is empty, and ours or nobody's: use it
 * discard  it holds only values of ours, from a call that did not end: remove it and make a new one
 * replace  it is stale, so that nobody can submit it, and ours or left behind: make a new one in its place
 * busy     somebody may be at work with it just now
 * foreign  it holds changes of somebody else, who has left it for a while
 */
export type Leftover = 'adopt' | 'discard' | 'replace' | 'busy' | 'foreign';

/** What this process knows of the change list that it made last in the zone; losing it costs a wait of two minutes. */
export interface OwnList {
  /** The answer to its creation was lost. */
  readonly unanswered: boolean;
  readonly changeTag: string | undefined;
  readonly zoneVersionId: string | undefined;
}

/** No call lasts as long: a list that was not touched since has nobody at work with it. */
export const abandonedAfterMs = 120_000;

export interface SeenList {
  readonly list: ChangeListInfo;
  /** Undefined for a stale list, whose contents nobody can submit. */
  readonly diff: { readonly sets: readonly StagedDiff[]; readonly settings: number } | undefined;
}

/** Pure. */
export function judgeLeftover(
  { list, diff }: SeenList,
  own: OwnList | undefined,
  wanted: readonly WantedSet[],
  now: number,
): Leftover {
  const isAbandoned = now - list.modifiedAt > abandonedAfterMs;
  const isSame = (ours: string | undefined, theirs: string | undefined) => ours !== undefined && ours === theirs;
  if (list.stale || diff === undefined)
    return isAbandoned || isSame(own?.zoneVersionId, list.zoneVersionId) ? 'replace' : 'busy';
  if (diff.sets.length === 0 && diff.settings === 0) {
    const isOurs = own?.unanswered === true || isSame(own?.changeTag, list.changeTag);
    return isOurs || isAbandoned ? 'adopt' : 'busy';
  }
  if (diff.settings === 0 && diff.sets.every((one) => isOurs(one, wanted))) return 'discard';
  return isAbandoned ? 'foreign' : 'busy';
}

/** A TXT set that is to be written, changed in nothing but values that our ledger holds. */
function isOurs({ name, type, from, to }: StagedDiff, wanted: readonly WantedSet[]): boolean {
  const set = wanted.find((one) => one.name === name);
  if (set === undefined || type !== 'TXT' || from === undefined || to === undefined) return false;
  const ours = new Set([...set.present, ...set.absent, ...set.held]);
  const differing = [...from.filter((one) => !to.includes(one)), ...to.filter((one) => !from.includes(one))];
  return differing.length > 0 && differing.every((rdata) => ours.has(fromRdata(rdata) as string));
}
