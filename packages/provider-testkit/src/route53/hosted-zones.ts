import { type DnsName, isWithin, toDnsName } from '@zoneproof/dns';
import type { PublishedTxt } from '../emulator/index.ts';
import { carryOut } from './change-batch.ts';
import { reversedLabels } from './names.ts';
import { type Change, type RecordSet, setKey } from './record-set.ts';
import { Refusal } from './refusal.ts';
import { readTxtValue, writeTxtValue } from './txt-value.ts';

/** A hosted zone as a test makes it. */
export interface NewHostedZone {
  readonly name: string;
  /** Default: a new one. */
  readonly id?: string;
  readonly private?: boolean;
}

export interface HostedZone {
  readonly id: string;
  readonly name: DnsName;
  readonly private: boolean;
  sets: ReadonlyMap<string, RecordSet>;
}

const mostAnswered = 8;

/** The hosted zones of one account. */
export class HostedZones {
  readonly #zones = new Map<string, HostedZone>();
  #made = 0;

  add({
    name,
    id = `Z0${String(++this.#made).padStart(12, '0')}EMU`,
    private: isPrivate = false,
  }: NewHostedZone): string {
    const apex = toDnsName(name);
    const soa: RecordSet = {
      name: apex,
      type: 'SOA',
      ttl: 900,
      values: ['ns-1.awsdns-00.com. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400'],
    };
    const ns: RecordSet = { name: apex, type: 'NS', ttl: 172_800, values: ['ns-1.awsdns-00.com.'] };
    const sets = new Map([soa, ns].map((set) => [setKey(set), set]));
    this.#zones.set(id, { id, name: apex, private: isPrivate, sets });
    return id;
  }

  remove(id: string): void {
    this.#zones.delete(id);
  }

  /** @throws Refusal NoSuchHostedZone */
  get(id: string): HostedZone {
    const zone = this.#zones.get(id);
    if (zone === undefined) throw new Refusal(404, 'NoSuchHostedZone', `No hosted zone found with ID: ${id}`);
    return zone;
  }

  /** Stores a set past the API. */
  put(id: string, set: RecordSet): void {
    const zone = this.get(id);
    zone.sets = new Map([...zone.sets, [setKey(set), set]]);
  }

  /** Names from the right, then ids. https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListHostedZonesByName.html */
  sorted(): readonly HostedZone[] {
    return [...this.#zones.values()].sort(
      (a, b) => compare(reversedLabels(a.name), reversedLabels(b.name)) || compare(a.id, b.id),
    );
  }

  /** The deepest public zone that holds the name. */
  holding(name: DnsName): HostedZone | undefined {
    return this.sorted()
      .filter((zone) => !zone.private && isWithin(name, zone.name))
      .reduce<HostedZone | undefined>(
        (best, zone) => (best && best.name.length >= zone.name.length ? best : zone),
        undefined,
      );
  }

  /**
   * Of more than eight multivalue sets an answer holds eight; which of them, differs between resolvers: here the oldest.
   * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/routing-policy-multivalue.html
   */
  published(name: DnsName): PublishedTxt {
    const sets = [...(this.holding(name)?.sets.values() ?? [])]
      .filter((set) => set.type === 'TXT' && set.name === name)
      .slice(0, mostAnswered);
    const values = sets.flatMap((set) => set.values.map((raw) => (readTxtValue(raw) as { value: string }).value));
    return { name, values, ttl: sets[0]?.ttl };
  }

  /** As another client does: adds to the simple set, or a multivalue set of its own. */
  plant(name: DnsName, value: string, ttl: number, as: 'simple' | 'multivalue'): void {
    const zone = this.holding(name);
    if (zone === undefined) throw new Error(`no public zone holds ${name}`);
    const sets = [...zone.sets.values()].filter((set) => set.type === 'TXT' && set.name === name);
    const simple = sets.find((set) => set.setIdentifier === undefined);
    const raw = writeTxtValue(value);
    if (simple !== undefined) {
      const grown = { ...simple, values: [...new Set([...simple.values, raw])] };
      zone.sets = carryOut([{ action: 'UPSERT', set: grown }], zone.name, zone.sets);
      return;
    }
    const set: RecordSet = { name, type: 'TXT', ttl, values: [raw] };
    const multivalue = { ...set, setIdentifier: `other-${raw}`.slice(0, 128), multiValueAnswer: true };
    const change: Change = { action: 'CREATE', set: as === 'multivalue' || sets.length > 0 ? multivalue : set };
    zone.sets = carryOut([change], zone.name, zone.sets);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
