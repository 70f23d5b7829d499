import { randomUUID } from 'node:crypto';
import { type DnsName, formatTxt, parseTxt } from '@zoneproof/dns';
import type { ApiAnswer, EmulatedZones, PublishedTxt } from '../emulator/index.ts';
import { ChangeList } from './change-list.ts';
import {
  type ActivationState,
  edited,
  isAnswer,
  keyOf,
  type Limits,
  type RecordSet,
  type RecordSets,
  Zone,
} from './zone.ts';

/** Zones, change lists, and what the name servers give, without the API around them. */
export class Service implements EmulatedZones {
  readonly zones = new Map<string, Zone>();
  /** By `user zone`: "You can't create a change list if you've already created one for this zone." */
  readonly lists = new Map<string, ChangeList>();
  limits: Limits;
  readonly now: () => number;
  readonly #looks: number;
  readonly #servers = new Map<string, RecordSets>();
  readonly #listeners: ((change: PublishedTxt) => void)[] = [];
  #held = false;

  constructor(limits: Limits, now: () => number, looks: number) {
    this.limits = limits;
    this.now = now;
    this.#looks = looks;
  }

  add(name: string, type: Zone['type'] = 'PRIMARY', state: ActivationState = 'ACTIVE'): Zone {
    const zone = new Zone(name, type, this.now());
    zone.state = state;
    this.zones.set(name, zone);
    this.#servers.set(name, zone.sets);
    return zone;
  }

  remove(name: string): void {
    this.zones.delete(name);
    this.#servers.delete(name);
    for (const key of this.lists.keys()) if (key.endsWith(` ${name}`)) this.lists.delete(key);
  }

  /** Makes a new version of the zone active and sends it to the name servers. */
  activate(zone: Zone, sets: RecordSets): void {
    zone.sets = sets;
    zone.versionId = randomUUID();
    zone.modifiedAt = this.now();
    zone.pendingLooks = this.#looks;
    if (!this.#held) this.#publish(zone);
  }

  /** Changes stop on the way to the name servers until the result is called. */
  hold(): () => void {
    this.#held = true;
    return () => {
      this.#held = false;
      for (const zone of this.zones.values()) this.#publish(zone);
    };
  }

  /**
   * "PENDING: Zone has been modified and is being propagated", "ACTIVE: Most recent change has been propagated":
   * https://techdocs.akamai.com/edge-dns/reference/activation-state-definitions
   */
  stateOf(zone: Zone): ActivationState {
    if (zone.state !== 'ACTIVE') return zone.state;
    if (this.#servers.get(zone.name) !== zone.sets) return 'PENDING';
    return zone.pendingLooks > 0 ? 'PENDING' : 'ACTIVE';
  }

  published(name: DnsName): PublishedTxt {
    const zone = this.zoneOf(name);
    return txtOf(name, zone && this.#servers.get(zone.name));
  }

  onPublish(listener: (change: PublishedTxt) => void): void {
    this.#listeners.push(listener);
  }

  plant(name: DnsName, value: string, ttl: number): void {
    this.plantRdata(name, formatTxt(value), ttl);
  }

  /** As another API client does it: by a new version of the zone. An existing set keeps its TTL. */
  plantRdata(name: DnsName, rdata: string, ttl: number): void {
    const zone = this.zoneOf(name);
    if (zone === undefined) throw new Error(`no zone of the emulator holds ${name}`);
    const known = zone.sets.get(keyOf(name, 'TXT'));
    const set: RecordSet = { name, type: 'TXT', ttl: known?.ttl ?? ttl, rdata: [...(known?.rdata ?? []), rdata] };
    const op = known === undefined ? 'ADD' : 'EDIT';
    const next = edited(zone.sets, zone.name, { op, ...set }, { ...this.limits, minTtl: 0 });
    if (isAnswer(next)) throw new Error(`${name} cannot be planted: ${JSON.stringify(next.body)}`);
    this.activate(zone, next);
  }

  uproot(name: DnsName): void {
    const zone = this.zoneOf(name);
    const next = new Map(zone?.sets);
    if (zone === undefined || !next.delete(keyOf(name, 'TXT'))) throw new Error(`there is no TXT set ${name}`);
    this.activate(zone, next);
  }

  zoneOf(name: string): Zone | undefined {
    const within = [...this.zones.values()].filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
    return within.sort((a, b) => b.name.length - a.name.length)[0];
  }

  list(user: string, zone: string): ChangeList | undefined {
    return this.lists.get(`${user} ${zone}`);
  }

  createList(user: string, zone: Zone): ChangeList {
    const list = new ChangeList(zone, this.now());
    this.lists.set(`${user} ${zone.name}`, list);
    return list;
  }

  dropList(user: string, zone: string): void {
    this.lists.delete(`${user} ${zone}`);
  }

  /** All sets or none: https://techdocs.akamai.com/edge-dns/reference/post-zones-zone-recordsets */
  createSets(zone: Zone, sets: readonly RecordSet[], pretend: boolean): ApiAnswer {
    let next = zone.sets;
    for (const set of sets) {
      const after = edited(next, zone.name, { op: 'ADD', ...set }, this.limits);
      if (isAnswer(after)) return after;
      next = after;
    }
    if (!pretend) this.activate(zone, next);
    return { status: 204 };
  }

  #publish(zone: Zone): void {
    const before = this.#servers.get(zone.name);
    if (before === zone.sets) return;
    this.#servers.set(zone.name, zone.sets);
    for (const key of new Set([...(before?.keys() ?? []), ...zone.sets.keys()])) {
      const [name = '', type] = key.split(' ');
      if (type !== 'TXT' || before?.get(key) === zone.sets.get(key)) continue;
      for (const listener of this.#listeners) listener(txtOf(name as DnsName, zone.sets));
    }
  }
}

function txtOf(name: DnsName, sets: RecordSets | undefined): PublishedTxt {
  const set = sets?.get(keyOf(name, 'TXT'));
  return { name, values: (set?.rdata ?? []).map((rdata) => parseTxt(rdata)?.join('') ?? rdata), ttl: set?.ttl };
}
