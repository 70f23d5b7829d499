import { createHash } from 'node:crypto';
import type { Change, ResourceRecord, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { type DnsName, formatTxt, parseTxt } from '@zoneproof/dns';
import type { Wanted } from './wanted.ts';
import { toWireName } from './wire-names.ts';

/** A set without identifier, as Route 53 calls it "simple". */
export function simpleSet(name: DnsName, values: readonly string[], ttl: number): ResourceRecordSet {
  return { Name: toWireName(name), Type: 'TXT', TTL: ttl, ResourceRecords: values.map(recordOf) };
}

/** A set that may stand beside others at its name: one for each value, found again by the value alone. */
export function multivalueSet(name: DnsName, value: string, ttl: number): ResourceRecordSet {
  return { ...simpleSet(name, [value], ttl), SetIdentifier: identifierOf(value), MultiValueAnswer: true };
}

export function identifierOf(value: string): string {
  return `zoneproof-${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}

/**
 * Replaces a simple set that holds exactly `values` by the wanted one. Route 53 refuses the whole batch when the set is
 * another one, so this is a compare-and-set. Empty when there is nothing to do.
 */
export function replaceSimple(values: readonly string[], { name, present, absent, ttl }: Wanted): readonly Change[] {
  const kept = values.filter((value) => !absent.includes(value));
  const next = [...kept, ...present.filter((value) => !kept.includes(value))];
  return [
    ...(values.length === 0 ? [] : [remove(simpleSet(name, values, ttl))]),
    ...(next.length === 0 ? [] : [create(simpleSet(name, next, ttl))]),
  ];
}

/** What brings the wanted state about among sets that were read. */
export interface Merge {
  /** Sets go back byte for byte but for our values, with their TTL. */
  readonly changes: readonly Change[];
  /** Values of the call that stand there as ours. */
  readonly before: readonly string[];
  /** Why values that are missing cannot be added. */
  readonly blocked: string | undefined;
}

/** Ours is what stands in the simple set, or in a multivalue set of our own; sets of others are left alone. Pure. */
export function mergeChanges(sets: readonly ResourceRecordSet[], wanted: Wanted): Merge {
  const { name, present, absent, ttl } = wanted;
  const setFor = (value: string) =>
    sets.find(({ SetIdentifier }) => SetIdentifier === undefined || SetIdentifier === identifierOf(value));
  const stands = (value: string) => valuesOf(setFor(value) ?? {}).includes(value);
  const before = [...present, ...absent].filter(stands);
  const missing = present.filter((value) => !stands(value));

  const touched = new Set([...missing, ...absent].map(setFor).filter((set) => set !== undefined));
  const replaced = [...touched].flatMap((set) => {
    const isHere = (value: string) => setFor(value) === set;
    return replaceRead(set, missing.filter(isHere), absent.filter(isHere));
  });
  const added = missing.filter((value) => setFor(value) === undefined);
  const created =
    sets.length === 0
      ? replaceSimple([], { ...wanted, absent: [] })
      : added.map((value) => create(multivalueSet(name, value, ttl)));
  return {
    changes: [...replaced, ...created],
    before,
    blocked: missing.length === 0 ? undefined : blockOf(sets),
  };
}

/** Without those that are no TXT values. */
export function valuesOf({ ResourceRecords = [] }: Partial<ResourceRecordSet>): readonly string[] {
  return ResourceRecords.flatMap((record) => txtValueOf(record) ?? []);
}

export function create(set: ResourceRecordSet): Change {
  return { Action: 'CREATE', ResourceRecordSet: set };
}

export function remove(set: ResourceRecordSet): Change {
  return { Action: 'DELETE', ResourceRecordSet: set };
}

function blockOf(sets: readonly ResourceRecordSet[]): string | undefined {
  if (sets.some(({ AliasTarget }) => AliasTarget !== undefined)) return 'an alias stands there';
  return sets.some(({ SetIdentifier, MultiValueAnswer }) => SetIdentifier !== undefined && MultiValueAnswer !== true)
    ? 'sets with a routing policy other than multivalue answer stand there'
    : undefined;
}

function replaceRead(set: ResourceRecordSet, present: readonly string[], absent: readonly string[]): readonly Change[] {
  const { ResourceRecords: stored = [] } = set;
  const kept = stored.filter((record) => !absent.some((value) => value === txtValueOf(record)));
  if (kept.length === stored.length && present.length === 0) return [];
  const next = [...kept, ...present.map(recordOf)];
  return [remove(set), ...(next.length === 0 ? [] : [create({ ...set, ResourceRecords: next })])];
}

/** https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html#TXTFormat */
function recordOf(value: string): ResourceRecord {
  return { Value: formatTxt(value, 'octal') };
}

function txtValueOf({ Value = '' }: Partial<ResourceRecord>): string | undefined {
  return parseTxt(Value, 'octal')?.join('');
}
