import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { TxtSet } from './record-set.ts';

// The API may leave out and add fields: what is used is read, and nothing else is looked at.

/** A zone of the list; what the API leaves out is undefined. https://techdocs.akamai.com/edge-dns/reference/get-zones */
export interface ListedZone {
  readonly zone: string;
  readonly type: string | undefined;
  readonly activationState: string | undefined;
}

/** https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone */
export interface ChangeListInfo {
  readonly zoneVersionId: string | undefined;
  readonly stale: boolean;
  /** Since it was last modified, by Akamai's clock; undefined when the API does not say. */
  readonly ageMs: number | undefined;
}

/** What a change list would change. */
export interface ChangeListDiff {
  /** The version it would change. */
  readonly base: string | undefined;
  readonly sets: readonly StagedDiff[];
  /** How many settings of the zone. */
  readonly settings: number;
}

/** A difference between a change list and its zone. https://techdocs.akamai.com/edge-dns/reference/get-changelists-zone-diff */
export interface StagedDiff {
  readonly name: string;
  readonly type: string;
  /** The set before and after; empty where there is none, undefined where the answer does not tell. */
  readonly from: SetValue | undefined;
  readonly to: SetValue | undefined;
}

export interface SetValue {
  readonly rdata: readonly string[];
  readonly ttl: number | undefined;
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function listIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Undefined unless all are texts: what is left out here would be left out of the set that is written back. */
function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

export function totalOf(body: Readonly<Record<string, unknown>>): number | undefined {
  const total = objectOf(body.metadata).totalElements;
  return typeof total === 'number' ? total : undefined;
}

function nameOf(value: unknown): DnsName | undefined {
  try {
    return typeof value === 'string' ? toDnsName(value) : undefined;
  } catch {
    // A name that no challenge has: `2/25.2.0.192.in-addr.arpa`.
    return undefined;
  }
}

export function readZone({ zone, type, activationState }: Readonly<Record<string, unknown>>): readonly ListedZone[] {
  const name = nameOf(zone);
  return name === undefined ? [] : [{ zone: name, type: textOf(type), activationState: textOf(activationState) }];
}

/** The sets of an answer, without those that a change list takes away; undefined when one lacks what makes it a set. */
export function readSets(sets: readonly Readonly<Record<string, unknown>>[]): readonly TxtSet[] | undefined {
  const read: TxtSet[] = [];
  for (const { name, type = 'TXT', ttl, rdata, state } of sets) {
    const owner = nameOf(name);
    if (type !== 'TXT' || state === 'DELETED' || (owner === undefined && typeof name === 'string')) continue;
    const texts = textsOf(rdata);
    if (owner === undefined || typeof ttl !== 'number' || texts === undefined) return undefined;
    read.push({ name: owner, ttl, rdata: texts });
  }
  return read;
}

/** `now` by Akamai's clock. */
export function readList(list: Readonly<Record<string, unknown>>, now: number): ChangeListInfo {
  const modifiedAt = Date.parse(textOf(list.lastModifiedDate) ?? '');
  return {
    zoneVersionId: textOf(list.zoneVersionId),
    stale: list.stale === true,
    ageMs: Number.isNaN(modifiedAt) ? undefined : now - modifiedAt,
  };
}

/** Undefined where the answer does not tell what the list changes; a part that is left out has no changes. */
export function readDiff({ metadata, diffs }: Readonly<Record<string, unknown>>): ChangeListDiff | undefined {
  const { recordSetDiffs = [], settingsDiffs = [] } = objectOf(diffs);
  if (typeof diffs !== 'object' || !Array.isArray(recordSetDiffs) || !Array.isArray(settingsDiffs)) return undefined;
  return {
    base: textOf(objectOf(metadata).fromVersionId),
    sets: listIn(recordSetDiffs).map(readSetDiff),
    settings: settingsDiffs.length,
  };
}

function readSetDiff({ name, type, fromValue, toValue }: Readonly<Record<string, unknown>>): StagedDiff {
  return {
    name: nameOf(name) ?? textOf(name) ?? '',
    type: textOf(type) ?? '',
    from: valueIn(fromValue),
    to: valueIn(toValue),
  };
}

function valueIn(value: unknown): SetValue | undefined {
  if (value === undefined || value === null) return { rdata: [], ttl: undefined };
  const { rdata, ttl } = objectOf(value);
  const texts = textsOf(rdata);
  return texts && { rdata: texts, ttl: typeof ttl === 'number' ? ttl : undefined };
}
