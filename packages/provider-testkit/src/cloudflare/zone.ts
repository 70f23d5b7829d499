import { randomBytes } from 'node:crypto';
import type { DnsName } from '@zoneproof/dns';
import { Refusal } from './answers.ts';
import { logicalValue } from './txt-content.ts';

/** A row of a zone, as the API shows it. */
export interface DnsRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  /** Seconds; 1 is automatic. */
  readonly ttl: number;
  readonly created_on: string;
  readonly modified_on: string;
}

/** What limits a zone. */
export interface ZoneLimits {
  /** Operations of one batch. */
  readonly batch: number;
  readonly records: number;
}

// https://developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes/ (batch) and
// https://developers.cloudflare.com/dns/manage-dns-records/ (records; Free zones since 2024-09-01)
export const planLimits: Readonly<Record<'free' | 'pro', ZoneLimits>> = {
  free: { batch: 200, records: 200 },
  pro: { batch: 3500, records: 3500 },
};

/** One zone of the account. */
export class EmulatedZone {
  readonly id = newId();
  readonly name: DnsName;
  readonly status: string;
  readonly type: string;
  readonly limits: ZoneLimits;
  #rows = new Map<string, DnsRow>();

  constructor(name: DnsName, status: string, type: string, limits: ZoneLimits) {
    this.name = name;
    this.status = status;
    this.type = type;
    this.limits = limits;
  }

  rows(): readonly DnsRow[] {
    return [...this.#rows.values()];
  }

  /** Runs `work` on a copy that takes the place of the rows when nothing was refused; the names that changed. */
  transact<T>(now: number, work: (draft: ZoneDraft) => T): { readonly result: T; readonly changed: readonly string[] } {
    const draft = new ZoneDraft(this.name, this.limits, new Map(this.#rows), now);
    const result = work(draft);
    this.#rows = draft.rows;
    return { result, changed: [...draft.changed] };
  }
}

/** A zone inside a transaction. */
export class ZoneDraft {
  readonly rows: Map<string, DnsRow>;
  readonly changed = new Set<string>();
  readonly #zone: DnsName;
  readonly #limits: ZoneLimits;
  readonly #at: string;

  constructor(zone: DnsName, limits: ZoneLimits, rows: Map<string, DnsRow>, now: number) {
    this.#zone = zone;
    this.#limits = limits;
    this.rows = rows;
    this.#at = new Date(now).toISOString();
  }

  remove(id: unknown): DnsRow {
    const row = typeof id === 'string' ? this.rows.get(id) : undefined;
    // assumed: a batch answers as the deletion of one record does (https://github.com/octodns/octodns/issues/202).
    if (row === undefined) throw new Refusal(404, 81044, 'Record does not exist.');
    this.rows.delete(row.id);
    this.changed.add(row.name);
    return row;
  }

  /** https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/edit/: the id stays. */
  edit(id: string, content: string): void {
    const row = this.rows.get(id);
    if (row === undefined) throw new Refusal(404, 81044, 'Record does not exist.');
    checkTxt(content);
    this.rows.set(id, { ...row, content, modified_on: this.#at });
    this.changed.add(row.name);
  }

  /** https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/create/ */
  add(input: unknown): DnsRow {
    const { type, name: asked, content, ttl } = (input ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof asked !== 'string' || asked === '') throw new Refusal(400, 9000, 'DNS name is invalid.');
    if (type !== 'TXT' && type !== 'CNAME') throw new Refusal(400, 9004, 'DNS record type is invalid.');
    if (typeof content !== 'string' || content === '') throw new Refusal(400, 9005, 'Content for record is invalid.');
    checkTtl(ttl);
    if (type === 'TXT') checkTxt(content);
    const name = this.#absolute(asked.toLowerCase());
    const others = [...this.rows.values()].filter((row) => row.name === name);
    checkBeside(type, content, others);
    // https://github.com/js-org/js.org/issues/2873
    if (this.rows.size >= this.#limits.records) throw new Refusal(400, 81045, 'Record quota exceeded.');
    const row = { id: newId(), name, type, content, ttl, created_on: this.#at, modified_on: this.#at };
    this.rows.set(row.id, row);
    this.changed.add(name);
    return row;
  }

  /** A name outside the zone is taken as one relative to it: https://github.com/NewFuture/DDNS/issues/21 */
  #absolute(name: string): string {
    if (name === '@' || name === this.#zone) return this.#zone;
    return name.endsWith(`.${this.#zone}`) ? name : `${name}.${this.#zone}`;
  }
}

// Records of one name may differ in it: https://github.com/sys4/netbox-plugin-dns/issues/304
// The field `ttl` of https://developers.cloudflare.com/api/resources/dns/subresources/records/methods/create/
function checkTtl(ttl: unknown): asserts ttl is number {
  if (ttl === 1 || (typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 60 && ttl <= 86_400)) return;
  throw new Refusal(400, 9021, 'TTL must be between 60 and 86400 seconds, or 1 for Automatic.');
}

// https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/: at most 4,096 octets a record.
// Quotes are wanted, a content without any is taken and shown as it came (https://github.com/go-acme/lego/pull/2521).
function checkTxt(content: string): void {
  // assumed: the code, and that quotes have to be in pairs.
  if (content.length > 4096 || logicalValue(content) === undefined)
    throw new Refusal(400, 9005, 'Content for TXT record is invalid.');
}

// https://developers.cloudflare.com/dns/manage-dns-records/troubleshooting/records-with-same-name/
function checkBeside(type: string, content: string, others: readonly DnsRow[]): void {
  const more = 'For more details, refer to <https://developers.cloudflare.com/dns/manage-dns-records/>.';
  if (type === 'CNAME' && others.length > 0)
    throw new Refusal(400, 81053, `An A, AAAA, or CNAME record with that host already exists. ${more}`);
  if (others.some((row) => row.type === 'CNAME'))
    throw new Refusal(400, 81054, `A CNAME record with that host already exists. ${more}`);
  // https://github.com/jeessy2/ddns-go/issues/1378; assumed: with or without quotes, a value is the same one.
  if (others.some((row) => logicalValue(row.content) === logicalValue(content)))
    throw new Refusal(400, 81058, 'An identical record already exists.');
  // https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/; assumed: the code.
  const together = others.filter((row) => row.type === type).reduce((sum, row) => sum + row.content.length, 0);
  if (together + content.length > 8192)
    throw new Refusal(400, 9005, 'The contents of records with the same name and type exceed 8192 characters.');
}

export function newId(): string {
  return randomBytes(16).toString('hex');
}
