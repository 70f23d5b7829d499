import { type DnsName, type DnsRecord, toDnsName, txtValue } from '@zoneproof/dns';
import { withNextSerial } from './update.ts';
import {
  createZone,
  findZone,
  type PlainRecord,
  sameData,
  soaOf,
  toRecord,
  type ZoneData,
  zoneOf,
} from './zone-data.ts';

export interface ZoneOptions {
  readonly name: string;
  /** Host names; `ns1.NAME` unless said. Their addresses are records like others. */
  readonly nameservers?: readonly string[];
  readonly records?: readonly PlainRecord[];
  /** Who may send UPDATE: holders of a key (when the server has keys, else anyone), anyone, or nobody. */
  readonly updates?: 'signed' | 'unsigned' | 'refused';
}

/** All zones at one moment. */
export type ZoneSnapshot = ReadonlyMap<DnsName, ZoneData>;

/** Reading and editing zones from outside, past the DNS. */
export interface ZoneContents {
  /** The TXT values at a name, in no order that matters. */
  values(name: string): readonly string[];
  serial(zone: string): number;
  set(record: PlainRecord): void;
  /** Replaces all TXT values at a name in one step, to mirror a service that the sandbox does not have. TTL 300 s unless said. */
  setTxt(name: string, values: readonly string[], ttl?: number): void;
  /** Without a value: the whole RRset. */
  remove(record: Omit<PlainRecord, 'value' | 'ttl'> & { readonly value?: string }): void;
}

/** The zones of a server. */
export interface Zones extends ZoneContents {
  current(): ZoneSnapshot;
  replace(zone: ZoneData): void;
}

export function createZones(options: readonly ZoneOptions[]): Zones {
  const made = options.map((zone) =>
    createZone(zone.name, zone.nameservers ?? [`ns1.${zone.name}`], zone.records ?? []),
  );
  let zones: ZoneSnapshot = new Map(made.map((zone) => [zone.apex, zone]));

  const replace = (zone: ZoneData): void => {
    zones = new Map(zones).set(zone.apex, zone);
  };
  const zoneOfName = (name: DnsName): ZoneData => {
    const zone = findZone(zones.values(), name);
    if (!zone) throw new Error(`no zone of this server holds ${name}`);
    return zone;
  };
  const edit = (name: string, change: (records: readonly DnsRecord[]) => readonly DnsRecord[]): void => {
    const owner = toDnsName(name);
    const zone = zoneOfName(owner);
    const nodes = new Map(zone.nodes);
    const changed = change(nodes.get(owner) ?? []);
    if (changed.length > 0) nodes.set(owner, changed);
    else nodes.delete(owner);
    replace(withNextSerial(zoneOf(zone.apex, nodes), soaOf(zone).data.serial));
  };

  return {
    current: () => zones,
    replace,
    values(name) {
      const owner = toDnsName(name);
      const records = findZone(zones.values(), owner)?.nodes.get(owner) ?? [];
      return records.flatMap((record) => (record.type === 'TXT' ? [txtValue(record)] : []));
    },
    serial: (zone) => soaOf(zoneOfName(toDnsName(zone))).data.serial,
    set(plain) {
      const record = toRecord(plain);
      edit(plain.name, (records) => [...records.filter((one) => !sameData(one, record)), record]);
    },
    setTxt(name, values, ttl) {
      const txt = values.map((value) => toRecord({ name, type: 'TXT', value, ...(ttl !== undefined && { ttl }) }));
      edit(name, (records) => [...records.filter((one) => one.type !== 'TXT'), ...txt]);
    },
    remove({ name, type, value }) {
      const record = value === undefined ? undefined : toRecord({ name, type, value });
      edit(name, (records) => records.filter((one) => (record ? !sameData(one, record) : one.type !== type)));
    },
  };
}
