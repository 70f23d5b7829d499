import { randomUUID } from 'node:crypto';
import { parseTxt } from '@zoneproof/dns';
import type { ApiAnswer } from '../emulator/index.ts';
import { badRequest, duplicate } from './problems.ts';

/** https://techdocs.akamai.com/edge-dns/reference/activation-state-definitions */
export type ActivationState =
  | 'NEW'
  | 'PENDING'
  | 'PENDING_APPROVAL'
  | 'ACTIVE'
  | 'ERROR'
  | 'LOCKED'
  | 'OBSOLETE'
  | 'DELETED';

export interface RecordSet {
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** In master file format, as sent. */
  readonly rdata: readonly string[];
}

/** One edit of a change list. */
export type StagedEdit =
  | ({ readonly op: 'ADD' | 'EDIT' } & RecordSet)
  | { readonly op: 'DELETE'; readonly name: string; readonly type: string };

export type RecordSets = ReadonlyMap<string, RecordSet>;

/** One version of a zone; each write makes the next. */
export class Zone {
  readonly name: string;
  readonly type: 'PRIMARY' | 'SECONDARY' | 'ALIAS';
  readonly contractId: string;
  versionId: string = randomUUID();
  sets: RecordSets;
  state: ActivationState = 'ACTIVE';
  /** How many more looks at the zone say PENDING. */
  pendingLooks = 0;
  modifiedAt: number;

  constructor(name: string, type: Zone['type'], now: number, contractId = '1-2ABCDE') {
    this.name = name;
    this.type = type;
    this.contractId = contractId;
    this.modifiedAt = now;
    const nameservers = { name, type: 'NS', ttl: 86_400, rdata: ['a1-1.akam.net.', 'a2-2.akam.net.'] };
    const soa = { name, type: 'SOA', ttl: 86_400, rdata: ['a1-1.akam.net. hostmaster.example. 1 3600 600 604800 300'] };
    this.sets = new Map([nameservers, soa].map((set) => [keyOf(set.name, set.type), set]));
  }
}

export const keyOf = (name: string, type: string): string => `${name.toLowerCase()} ${type.toUpperCase()}`;

export interface Limits {
  /** "Minimum TTL: 300 seconds": https://techdocs.akamai.com/edge-dns/docs/features */
  readonly minTtl: number;
  /** Record sets in a zone. */
  readonly maxRecordSets: number;
}

/** The sets after one edit, or why it is refused. */
export function edited(sets: RecordSets, zone: string, edit: StagedEdit, limits: Limits): RecordSets | ApiAnswer {
  const key = keyOf(edit.name, edit.type);
  const known = sets.get(key);
  if (edit.op === 'ADD' && known !== undefined) return duplicate(edit.name, edit.type);
  // https://github.com/dns-aid/dns-aid-core/pull/202 (a replacement); assumed: an edit of a change list, too.
  if (edit.op !== 'ADD' && known === undefined)
    return badRequest(`Record with name ${edit.name} and type ${edit.type} does not exist`);
  const next = new Map(sets);
  if (edit.op === 'DELETE') {
    next.delete(key);
    return next;
  }
  const { name, type, ttl, rdata } = edit;
  const problem = setProblem({ name, type, ttl, rdata }, zone, known?.ttl, limits) ?? besides(sets, edit);
  if (problem !== undefined) return badRequest(problem);
  if (known === undefined && sets.size >= limits.maxRecordSets)
    return badRequest(`Zone '${zone}' exceeds the maximum number of ${limits.maxRecordSets} record sets`);
  next.set(key, { name, type, ttl, rdata });
  return next;
}

export function isAnswer(value: RecordSets | ApiAnswer): value is ApiAnswer {
  return 'status' in value;
}

/** assumed: the wording, except that of duplicate rdata (https://github.com/akamai/terraform-provider-akamai/issues/11). */
function setProblem(set: RecordSet, zone: string, ttlBefore: number | undefined, limits: Limits): string | undefined {
  const { name, type, ttl, rdata } = set;
  if (name !== zone && !name.endsWith(`.${zone}`)) return `Record ${name} is not part of zone ${zone}`;
  if (!Number.isInteger(ttl)) return `TTL of ${name} ${type} is not a number`;
  // assumed: a lower TTL that was agreed on by contract may stay as it is.
  if (ttl < limits.minTtl && ttl !== ttlBefore) return `TTL ${ttl} of ${name} ${type} is below ${limits.minTtl}`;
  if (!Array.isArray(rdata) || rdata.length === 0) return `No rdata for ${name} ${type}`;
  if (new Set(rdata).size < rdata.length) return `Duplicate rdata found for record with name ${name} and type ${type}`;
  const wrong =
    type === 'TXT' ? rdata.find((one) => typeof one !== 'string' || parseTxt(one) === undefined) : undefined;
  return wrong === undefined ? undefined : `Invalid rdata for ${name} TXT: ${wrong.slice(0, 40)}`;
}

/** RFC 1034 3.6.2 */
function besides(sets: RecordSets, { name, type }: StagedEdit): string | undefined {
  if (type === 'CNAME' || !sets.has(keyOf(name, 'CNAME'))) return undefined;
  return `A CNAME record exists with name ${name}; no other record may`;
}
