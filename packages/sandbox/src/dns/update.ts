import { type DnsMessage, type DnsName, type DnsRecord, isWithin, type Rcode } from '@zoneproof/dns';
import { recordsAt, sameData, soaOf, type ZoneData, zoneOf } from './zone-data.ts';

/** `zone` is the one given when nothing changed. */
export interface UpdateResult {
  readonly rcode: Rcode;
  readonly zone: ZoneData;
}

/**
 * One UPDATE of one zone (RFC 2136 3.2 to 3.6): prerequisites, then all changes or none. The serial grows when
 * something changed.
 */
export function applyUpdate(zone: ZoneData, message: DnsMessage): UpdateResult {
  const refusal = checkPrerequisites(zone, message.answers) ?? scanUpdates(zone, message.authorities);
  if (refusal) return { rcode: refusal, zone };
  const draft: Draft = { apex: zone.apex, nodes: new Map(zone.nodes), changed: false };
  for (const record of message.authorities) {
    if (record.class === 'IN') addRecord(draft, record);
    else deleteRecords(draft, record);
  }
  if (!draft.changed) return { rcode: 'NOERROR', zone };
  return { rcode: 'NOERROR', zone: withNextSerial(zoneOf(zone.apex, draft.nodes), soaOf(zone).data.serial) };
}

/** The zone with a serial above `serial` (RFC 1982: it wraps, and 0 is left out). */
export function withNextSerial(zone: ZoneData, serial: number): ZoneData {
  const soa = soaOf(zone);
  const next = soa.data.serial === serial ? (serial + 1) % 2 ** 32 || 1 : soa.data.serial;
  const nodes = new Map(zone.nodes);
  const others = recordsAt(zone, zone.apex).filter((record) => record.type !== 'SOA');
  nodes.set(zone.apex, [{ ...soa, data: { ...soa.data, serial: next } }, ...others]);
  return zoneOf(zone.apex, nodes);
}

interface Draft {
  readonly apex: DnsName;
  readonly nodes: Map<DnsName, readonly DnsRecord[]>;
  changed: boolean;
}

/** RFC 2136 3.2.5. */
function checkPrerequisites(zone: ZoneData, prerequisites: readonly DnsRecord[]): Rcode | undefined {
  const wanted = new Map<string, DnsRecord[]>();
  for (const record of prerequisites) {
    if (record.ttl !== 0) return 'FORMERR';
    if (!isWithin(record.name, zone.apex)) return 'NOTZONE';
    const inUse = recordsAt(zone, record.name).length > 0;
    const exists = recordsAt(zone, record.name, record.type).length > 0;
    if (record.class === 'ANY' && record.empty) {
      if (record.type === 'ANY' ? !inUse : !exists) return record.type === 'ANY' ? 'NXDOMAIN' : 'NXRRSET';
    } else if (record.class === 'NONE' && record.empty) {
      if (record.type === 'ANY' ? inUse : exists) return record.type === 'ANY' ? 'YXDOMAIN' : 'YXRRSET';
    } else if (record.class === 'IN') {
      const key = `${record.name} ${record.type}`;
      wanted.set(key, [...(wanted.get(key) ?? []), record]);
    } else return 'FORMERR';
  }
  for (const records of wanted.values()) {
    const [first] = records;
    const present = first ? recordsAt(zone, first.name, first.type) : [];
    const same = present.every((one) => records.some((other) => sameData(one, other)));
    if (!same || !records.every((one) => present.some((other) => sameData(one, other)))) return 'NXRRSET';
  }
  return undefined;
}

/** RFC 2136 3.4.1: nothing is changed before every record was found sound. */
function scanUpdates(zone: ZoneData, updates: readonly DnsRecord[]): Rcode | undefined {
  for (const record of updates) {
    if (!isWithin(record.name, zone.apex)) return 'NOTZONE';
    const form = record.class ?? 'IN';
    const sound =
      form === 'IN'
        ? record.type !== 'ANY' && !record.empty
        : form === 'ANY'
          ? record.ttl === 0 && record.empty === true
          : form === 'NONE' && record.ttl === 0 && record.type !== 'ANY';
    if (!sound) return 'FORMERR';
  }
  return undefined;
}

/** RFC 2136 3.4.2.2: what would break the CNAME or SOA rules is skipped without a word. */
function addRecord(draft: Draft, added: DnsRecord): void {
  const here = draft.nodes.get(added.name) ?? [];
  const hasAlias = here.some((record) => record.type === 'CNAME');
  if (added.type === 'CNAME' ? here.length > 0 && !hasAlias : hasAlias) return;
  if (added.type === 'SOA') {
    const current = here.find((record) => record.type === 'SOA');
    if (current?.type !== 'SOA' || !isNewerSerial(added.data.serial, current.data.serial)) return;
  }
  const single = added.type === 'CNAME' || added.type === 'SOA';
  const rrset = here.filter((record) => record.type === added.type);
  if (rrset.some((record) => sameData(record, added)) && rrset.every((record) => record.ttl === added.ttl)) return;
  // One TTL for the whole RRset (RFC 2181 5.2): that of the newest record, as BIND does it.
  const kept = single
    ? []
    : rrset.filter((record) => !sameData(record, added)).map((record) => ({ ...record, ttl: added.ttl }));
  const others = here.filter((record) => record.type !== added.type);
  draft.nodes.set(added.name, [...others, ...kept, added]);
  draft.changed = true;
}

/** RFC 2136 3.4.2.3, 3.4.2.4: the apex keeps its SOA and its last NS. */
function deleteRecords(draft: Draft, deletion: DnsRecord): void {
  const here = draft.nodes.get(deletion.name);
  if (!here) return;
  const atApex = deletion.name === draft.apex;
  let kept = here.filter((record) => {
    if (atApex && (record.type === 'SOA' || (record.type === 'NS' && deletion.class === 'ANY'))) return true;
    if (deletion.class === 'ANY') return deletion.type !== 'ANY' && record.type !== deletion.type;
    return !sameData(record, deletion);
  });
  if (atApex && !kept.some((record) => record.type === 'NS')) kept = [...here];
  if (kept.length === here.length) return;
  if (kept.length === 0) draft.nodes.delete(deletion.name);
  else draft.nodes.set(deletion.name, kept);
  draft.changed = true;
}

function isNewerSerial(serial: number, than: number): boolean {
  const distance = (serial - than + 2 ** 32) % 2 ** 32;
  return distance > 0 && distance < 2 ** 31;
}
