import { type DnsName, type DnsRecord, isWithin, parentOf, toDnsName, toStrings } from '@zoneproof/dns';

/** The records of one zone by owner name. A change makes a new one, so whoever holds an old one keeps seeing it whole. */
export interface ZoneData {
  readonly apex: DnsName;
  readonly nodes: ReadonlyMap<DnsName, readonly DnsRecord[]>;
  /** Every name that exists, the empty non-terminals between owners and apex included (RFC 8020). */
  readonly names: ReadonlySet<DnsName>;
}

/** A record as people write it; `name` is the full name. TTL 300 s unless said. */
export interface PlainRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';
  readonly value: string;
  readonly ttl?: number;
}

/** A zone with its SOA (serial 1, negative TTL 60 s), its NS records and `records`. */
export function createZone(name: string, nameservers: readonly string[], records: readonly PlainRecord[]): ZoneData {
  const apex = toDnsName(name);
  const soa: DnsRecord = {
    name: apex,
    type: 'SOA',
    ttl: 60,
    data: {
      mname: toDnsName(nameservers[0] ?? name),
      rname: toDnsName(`hostmaster.${name}`),
      serial: 1,
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum: 60,
    },
  };
  const delegation = nameservers.map((server): PlainRecord => ({ name, type: 'NS', value: server }));
  const nodes = new Map<DnsName, readonly DnsRecord[]>();
  for (const record of [soa, ...[...delegation, ...records].map(toRecord)]) {
    if (!isWithin(record.name, apex))
      throw new Error(`the record ${record.name} ${record.type} lies outside zone ${apex}`);
    nodes.set(record.name, [...(nodes.get(record.name) ?? []), record]);
  }
  return zoneOf(apex, nodes);
}

/** The zone these nodes make. */
export function zoneOf(apex: DnsName, nodes: ReadonlyMap<DnsName, readonly DnsRecord[]>): ZoneData {
  let names: Set<DnsName> | undefined;
  return {
    apex,
    nodes,
    get names() {
      names ??= allNames(apex, nodes);
      return names;
    },
  };
}

export function recordsAt(zone: ZoneData, name: DnsName, type?: string): readonly DnsRecord[] {
  const records = zone.nodes.get(name) ?? [];
  return type === undefined ? records : records.filter((record) => record.type === type);
}

export function soaOf(zone: ZoneData): DnsRecord & { readonly type: 'SOA' } {
  for (const record of recordsAt(zone, zone.apex)) if (record.type === 'SOA') return record;
  throw new Error(`zone ${zone.apex} has no SOA`);
}

/** The deepest of these zones that holds the name. */
export function findZone(zones: Iterable<ZoneData>, name: DnsName): ZoneData | undefined {
  let best: ZoneData | undefined;
  for (const zone of zones) if (isWithin(name, zone.apex) && zone.apex.length >= (best?.apex.length ?? 0)) best = zone;
  return best;
}

export function toRecord(plain: PlainRecord): DnsRecord {
  const { type, value } = plain;
  const frame = { name: toDnsName(plain.name), ttl: plain.ttl ?? 300 };
  switch (type) {
    case 'TXT':
      return { ...frame, type, data: toStrings(value) };
    case 'A':
    case 'AAAA':
      return { ...frame, type, data: value };
    case 'CNAME':
    case 'NS':
      return { ...frame, type, data: toDnsName(value) };
  }
}

/** Two records of one RRset with the same value. */
export function sameData(one: DnsRecord, other: DnsRecord): boolean {
  return one.type === other.type && JSON.stringify(one.data) === JSON.stringify(other.data);
}

function allNames(apex: DnsName, nodes: ReadonlyMap<DnsName, readonly DnsRecord[]>): Set<DnsName> {
  const names = new Set<DnsName>();
  for (const owner of nodes.keys()) {
    let name: DnsName | undefined = owner;
    while (name !== undefined && !names.has(name)) {
      names.add(name);
      name = name === apex ? undefined : parentOf(name);
    }
  }
  return names;
}
