import type { TxtChange } from '@zoneproof/core';
import { type DnsName, formatTxt, parseTxt } from '@zoneproof/dns';

/** The TXT set of one name as the API has it. */
export interface TxtSet {
  /** With a final dot. */
  readonly name: string;
  readonly ttl: number;
  /** In presentation form, byte for byte. */
  readonly rrdatas: readonly string[];
  /** Weighted or by place: there are no `rrdatas` to merge with. */
  readonly isRouted?: true;
}

/** What happens to the set of one name: the old one is deleted, the new one added; either may be missing. */
export interface SetChange {
  readonly deletion?: TxtSet;
  readonly addition?: TxtSet;
}

/** Everything that is wanted of one name. */
export interface WantedSet {
  /** With a final dot. */
  readonly name: string;
  readonly changes: readonly TxtChange[];
}

export function groupByName(changes: readonly TxtChange[]): readonly WantedSet[] {
  const groups = new Map<DnsName, TxtChange[]>();
  for (const change of changes) {
    const group = groups.get(change.name);
    if (group) group.push(change);
    else groups.set(change.name, [change]);
  }
  return [...groups].map(([name, group]) => ({ name: `${name}.`, changes: group }));
}

/**
 * The change of one set when nothing stands there but what we hold ourselves: values to be removed are there, values to
 * be added are not.
 */
export function changeUnread({ name, changes }: WantedSet): SetChange {
  const present = valuesOf(changes, 'present');
  const absent = valuesOf(changes, 'absent');
  const held = changes.flatMap((change) => change.held.values).filter((value) => !present.includes(value));
  const before = [...new Set([...held, ...absent])];
  const after = [...before.filter((value) => !absent.includes(value)), ...present];
  const ttl = changes.find((change) => change.held.ttl !== undefined)?.held.ttl ?? changes[0]?.ttl ?? 0;
  const set = (values: readonly string[]): TxtSet => ({
    name,
    ttl,
    rrdatas: values.map((value) => formatTxt(value)).sort(),
  });
  return {
    ...(before.length > 0 && { deletion: set(before) }),
    ...(after.length > 0 && { addition: set(after) }),
  };
}

/**
 * The change of one set over what stands there; undefined when it is as wanted. Foreign values are written back to the
 * letter, and the set keeps its TTL.
 */
export function changeRead({ name, changes }: WantedSet, stored: TxtSet | undefined): SetChange | undefined {
  const rrdatas = stored?.rrdatas ?? [];
  const there = new Set(rrdatas.map(txtValueOf));
  const absent = valuesOf(changes, 'absent');
  const missing = valuesOf(changes, 'present').filter((value) => !there.has(value));
  const kept = rrdatas.filter((rrdata) => !absent.includes(txtValueOf(rrdata)));
  if (missing.length === 0 && kept.length === rrdatas.length) return undefined;
  // Sorted, as the next change of ours will expect it without reading. Order means nothing in a set (RFC 2181 5).
  const after = [...kept, ...missing.map((value) => formatTxt(value))].sort();
  const ttl = stored?.ttl ?? changes[0]?.ttl ?? 0;
  return {
    ...(stored && { deletion: stored }),
    ...(after.length > 0 && { addition: { name, ttl, rrdatas: after } }),
  };
}

/** Whether a change has nothing to do over what stands there. */
export function isSoAlready({ state, value }: TxtChange, stored: TxtSet | undefined): boolean {
  const isThere = stored?.rrdatas.some((rrdata) => txtValueOf(rrdata) === value) ?? false;
  return isThere === (state === 'present');
}

/** What is no TXT rdata stands for itself: it equals no value of ours. */
function txtValueOf(rrdata: string): string {
  return parseTxt(rrdata)?.join('') ?? rrdata;
}

function valuesOf(changes: readonly TxtChange[], state: TxtChange['state']): readonly string[] {
  return changes.filter((change) => change.state === state).map(({ value }) => value);
}
