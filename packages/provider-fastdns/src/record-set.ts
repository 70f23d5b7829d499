import type { TxtChange } from '@zoneproof/core';
import { type DnsName, formatTxt, parseTxt } from '@zoneproof/dns';

/** A TXT record set as the API has it. */
export interface TxtSet {
  readonly name: DnsName;
  /** Seconds. */
  readonly ttl: number;
  /** As read; written back as it is. */
  readonly rdata: readonly string[];
}

/** All that one `apply` wants of one name. */
export interface WantedSet {
  readonly name: DnsName;
  /** Seconds; for a set that is not there yet. */
  readonly ttl: number;
  readonly present: readonly string[];
  readonly absent: readonly string[];
  /** What else of ours the ledger knows there. */
  readonly held: readonly string[];
}

/** One step of a change list: https://techdocs.akamai.com/edge-dns/reference/post-changelists-zone-recordsets-add-change */
export type SetEdit = ({ readonly op: 'ADD' | 'EDIT' } & TxtSet) | { readonly op: 'DELETE'; readonly name: DnsName };

/** The changes by name, in the order of their first one. */
export function wantedSets(changes: readonly TxtChange[]): readonly WantedSet[] {
  const byName = new Map<DnsName, TxtChange[]>();
  for (const change of changes) byName.set(change.name, [...(byName.get(change.name) ?? []), change]);
  return [...byName].map(([name, ofName]) => {
    const valuesOf = (state: TxtChange['state']) => ofName.flatMap((one) => (one.state === state ? [one.value] : []));
    const named = new Set(ofName.map(({ value }) => value));
    const held = new Set(ofName.flatMap((one) => one.held.values).filter((value) => !named.has(value)));
    const ttl = (ofName[0] as TxtChange).ttl;
    return { name, ttl, present: valuesOf('present'), absent: valuesOf('absent'), held: [...held] };
  });
}

/** The set as it is made where none is. */
export function newSet({ name, ttl, present }: WantedSet): TxtSet {
  return { name, ttl, rdata: present.map((value) => formatTxt(value)) };
}

/** What of `wanted` is not so yet: the values to add and to take away. */
export function missingIn(current: TxtSet | undefined, wanted: WantedSet): ReadonlySet<string> {
  const there = new Set(current?.rdata.map(txtValueOf));
  return new Set([
    ...wanted.present.filter((value) => !there.has(value)),
    ...wanted.absent.filter((value) => there.has(value)),
  ]);
}

/** The edit that makes it so; undefined when it is. Other values and the TTL of a set that is there stay as read. */
export function editFor(current: TxtSet | undefined, wanted: WantedSet): SetEdit | undefined {
  const missing = missingIn(current, wanted);
  if (missing.size === 0) return undefined;
  const gone = new Set(wanted.absent);
  const kept = (current?.rdata ?? []).filter((rdata) => {
    const value = txtValueOf(rdata);
    return value === undefined || !gone.has(value);
  });
  const rdata = [...kept, ...wanted.present.filter((value) => missing.has(value)).map((value) => formatTxt(value))];
  if (rdata.length === 0) return { op: 'DELETE', name: wanted.name };
  return { op: current === undefined ? 'ADD' : 'EDIT', name: wanted.name, ttl: current?.ttl ?? wanted.ttl, rdata };
}

/** Whether two sets hold the same values, however they are written. */
export function isSameRdata(one: readonly string[], other: readonly string[]): boolean {
  const sorted = (set: readonly string[]) => JSON.stringify(set.map((rdata) => txtValueOf(rdata) ?? rdata).sort());
  return sorted(one) === sorted(other);
}

/** The value that rdata stands for; undefined for what is no TXT rdata. */
export function txtValueOf(rdata: string): string | undefined {
  return parseTxt(rdata)?.join('');
}
