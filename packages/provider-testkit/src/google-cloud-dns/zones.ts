import { type DnsName, formatTxt, isWithin, parseTxt, toDnsName } from '@zoneproof/dns';
import type { PublishedTxt } from '../emulator/index.ts';

/** https://cloud.google.com/dns/docs/reference/rest/v1/resourceRecordSets */
export interface ResourceRecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly rrdatas: readonly string[];
  /** Instead of `rrdatas`: weighted or by place. */
  readonly routingPolicy?: object;
}

/** https://cloud.google.com/dns/docs/reference/rest/v1/changes */
export interface Change {
  readonly id: string;
  readonly startTime: string;
  readonly additions: readonly ResourceRecordSet[];
  readonly deletions: readonly ResourceRecordSet[];
  /** Looks that are still answered with `pending`. */
  pendingPolls: number;
}

export interface ManagedZoneSpec {
  /** `example.com`. */
  readonly dnsName: string;
  /** The zone's resource name; default `dnsName` with dashes. */
  readonly name?: string;
  /** `forwarding` and `peering` are private zones without records of their own. Default `public`. */
  readonly kind?: 'public' | 'private' | 'forwarding' | 'peering';
}

/** One managed zone: https://cloud.google.com/dns/docs/reference/rest/v1/managedZones */
export class ManagedZone {
  readonly id: string;
  readonly name: string;
  readonly dnsName: DnsName;
  readonly kind: NonNullable<ManagedZoneSpec['kind']>;
  readonly changes: Change[] = [];
  readonly #sets = new Map<string, ResourceRecordSet>();
  #serial = 1;

  constructor(spec: ManagedZoneSpec, id: string) {
    this.id = id;
    this.dnsName = toDnsName(spec.dnsName);
    this.name = spec.name ?? this.dnsName.replaceAll('.', '-');
    this.kind = spec.kind ?? 'public';
    const name = `${this.dnsName}.`;
    this.put({ name, type: 'NS', ttl: 21_600, rrdatas: nameServers });
    this.put(this.#soa());
  }

  get size(): number {
    return this.#sets.size;
  }

  get(name: string, type: string): ResourceRecordSet | undefined {
    return this.#sets.get(`${name.toLowerCase()} ${type}`);
  }

  put(set: ResourceRecordSet): void {
    this.#sets.set(`${set.name.toLowerCase()} ${set.type}`, set);
  }

  remove(set: ResourceRecordSet): void {
    this.#sets.delete(`${set.name.toLowerCase()} ${set.type}`);
  }

  /** Assumed: in the order of their names. */
  sets(name?: string, type?: string): readonly ResourceRecordSet[] {
    return [...this.#sets.values()]
      .filter((set) => (name === undefined || set.name === name.toLowerCase()) && (type ?? set.type) === set.type)
      .sort((a, b) => (`${a.name} ${a.type}` < `${b.name} ${b.type}` ? -1 : 1));
  }

  /** https://cloud.google.com/dns/docs/records-overview: the serial grows with each change. */
  countUp(): void {
    this.#serial++;
    this.put(this.#soa());
  }

  resource(): object {
    const closed = this.kind !== 'public';
    return {
      kind: 'dns#managedZone',
      name: this.name,
      dnsName: `${this.dnsName}.`,
      description: '',
      id: this.id,
      nameServers: closed ? [] : nameServers,
      creationTime: '2026-01-02T03:04:05.678Z',
      visibility: closed ? 'private' : 'public',
      ...(this.kind === 'forwarding' && { forwardingConfig: { targetNameServers: [{ ipv4Address: '192.0.2.1' }] } }),
      ...(this.kind === 'peering' && { peeringConfig: { targetNetwork: { networkUrl: 'projects/p/networks/n' } } }),
    };
  }

  #soa(): ResourceRecordSet {
    const rrdata = `ns-cloud-a1.googledomains.com. cloud-dns-hostmaster.google.com. ${this.#serial} 21600 3600 259200 300`;
    return { name: `${this.dnsName}.`, type: 'SOA', ttl: 21_600, rrdatas: [rrdata] };
  }
}

/** The public zone that answers for a name; of several the first. */
export function holderOf(zones: readonly ManagedZone[], name: DnsName): ManagedZone | undefined {
  const holding = zones.filter((zone) => zone.kind === 'public' && isWithin(name, zone.dnsName));
  return holding.sort((a, b) => b.dnsName.length - a.dnsName.length)[0];
}

export function publishedTxt(zones: readonly ManagedZone[], name: DnsName): PublishedTxt {
  const set = holderOf(zones, name)?.get(`${name}.`, 'TXT');
  return { name, values: (set?.rrdatas ?? []).map((rrdata) => (parseTxt(rrdata) ?? []).join('')), ttl: set?.ttl };
}

/** As a change of another client would do it: the set is replaced by one with this value, too. */
export function plantTxt(zone: ManagedZone, name: DnsName, value: string, ttl: number): void {
  const set = zone.get(`${name}.`, 'TXT') ?? { name: `${name}.`, type: 'TXT', ttl, rrdatas: [] };
  zone.put({ ...set, rrdatas: [...set.rrdatas, formatTxt(value)] });
  zone.countUp();
}

const nameServers = ['a', 'b', 'c', 'd'].map((letter) => `ns-cloud-${letter}1.googledomains.com.`);
