import { createHash } from 'node:crypto';
import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { DnsName } from '@zoneproof/dns';
import { quoteTxt, unquoteTxt } from './txt.ts';
import { toWireName } from './wire-names.ts';

/** The changes at one name. */
export interface Wanted {
  readonly name: DnsName;
  readonly present: readonly string[];
  readonly absent: readonly string[];
  /** What the ledger says we hold there, as far as it can be told from the changes. */
  readonly held: readonly string[];
  /** Seconds; of a new set, and of the one we hold. */
  readonly ttl: number;
}

/** A set without identifier, as Route 53 calls it "simple". */
export function simpleSet(name: DnsName, values: readonly string[], ttl: number): ResourceRecordSet {
  const records = values.map((value) => ({ Value: quoteTxt(value) }));
  return { Name: toWireName(name), Type: 'TXT', TTL: ttl, ResourceRecords: records };
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

/**
 * What brings the wanted state about among sets that were read; sets of others go back byte for byte, with their TTL.
 * `blocked` says why no value can be added there.
 */
export function mergeChanges(
  sets: readonly ResourceRecordSet[],
  wanted: Wanted,
): readonly Change[] | { readonly blocked: string } {
  const simple = sets.find(({ SetIdentifier }) => SetIdentifier === undefined);
  if (simple?.AliasTarget !== undefined) return { blocked: 'an alias stands there' };
  if (simple !== undefined) return replaceRead(simple, wanted.present, wanted.absent);
  if (sets.some(({ MultiValueAnswer }) => MultiValueAnswer !== true))
    return { blocked: 'sets with a routing policy other than multivalue answer stand there' };
  const { name, present, absent, ttl } = wanted;
  if (sets.length === 0) return replaceSimple([], wanted);
  const own = (value: string) => sets.find(({ SetIdentifier }) => SetIdentifier === identifierOf(value));
  const missing = present.filter((value) => !sets.some((set) => valuesOf(set).includes(value)));
  return [
    ...absent.flatMap((value) => replaceRead(own(value), [], [value])),
    ...missing.flatMap((value) => {
      const known = own(value);
      return known ? replaceRead(known, [value], []) : [create(multivalueSet(name, value, ttl))];
    }),
  ];
}

export function valuesOf({ ResourceRecords = [] }: ResourceRecordSet): readonly string[] {
  return ResourceRecords.map(({ Value = '' }) => unquoteTxt(Value));
}

export function create(set: ResourceRecordSet): Change {
  return { Action: 'CREATE', ResourceRecordSet: set };
}

export function remove(set: ResourceRecordSet): Change {
  return { Action: 'DELETE', ResourceRecordSet: set };
}

function replaceRead(
  set: ResourceRecordSet | undefined,
  present: readonly string[],
  absent: readonly string[],
): readonly Change[] {
  if (set === undefined) return [];
  const { ResourceRecords: stored = [] } = set;
  const kept = stored.filter(({ Value = '' }) => !absent.includes(unquoteTxt(Value)));
  const known = kept.map(({ Value = '' }) => unquoteTxt(Value));
  const added = present.filter((value) => !known.includes(value)).map((value) => ({ Value: quoteTxt(value) }));
  if (kept.length === stored.length && added.length === 0) return [];
  const next = [...kept, ...added];
  return [remove(set), ...(next.length === 0 ? [] : [create({ ...set, ResourceRecords: next })])];
}
