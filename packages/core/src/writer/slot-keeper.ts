import type { DnsName } from '@zoneproof/dns';
import { type Clock, ProviderError } from '../contract/index.ts';
import type { TimerHandle, Timers } from '../time/index.ts';
import { ledgerEntry } from './entry.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Waiter, WaitingRecord } from './queue.ts';
import { planSlots, type SlotPlan, slotOrderMs } from './slots.ts';

/** Lets requests into the slots of a name, or puts them on the list of those to be called when one is free. */
export class SlotKeeper {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #call: (owner: string) => void;
  readonly #startedAt: number;
  readonly #lastWriteAt = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();
  readonly #moments = new Set<TimerHandle>();

  constructor(clock: Clock, timers: Timers, call: (owner: string) => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#call = call;
    this.#startedAt = clock.now();
  }

  /**
   * Settles as `waiting` what has to wait, and returns the entries to be recorded before the rest is written. All
   * records that one request wants at one name are admitted together, also those that travel in a later batch.
   */
  admit(records: readonly WaitingRecord[], held: ReadonlyMap<DnsName, readonly LedgerEntry[]>): readonly LedgerEntry[] {
    const openAt = new Map(held);
    const toRecord = new Map<string, LedgerEntry>();
    // What goes out in one batch may carry one second: a request has no order to those admitted before it.
    const admittedAt = new Set<DnsName>();
    for (const waiter of new Set(records.map((record) => record.waiter))) {
      if (waiter.request.state === 'absent') continue;
      for (const name of new Set(records.filter((record) => record.waiter === waiter).map(({ name }) => name))) {
        const plan = this.#admitName(waiter, name, openAt.get(name) ?? [], admittedAt.has(name));
        if (plan.action !== 'write') continue;
        admittedAt.add(name);
        openAt.set(name, plan.open);
        for (const entry of plan.record) toRecord.set(entry.id, entry);
      }
    }
    return [...toRecord.values()];
  }

  /** A write at this name was sent just now. */
  wrote(account: string, zoneId: string, name: DnsName): void {
    this.#lastWriteAt.set(placeKey(account, zoneId, name), this.#clock.now());
  }

  /** The value of this record was crossed out. */
  freed(record: WaitingRecord): void {
    this.#callAll(placeOf(record.waiter, record.name));
  }

  close(): void {
    for (const handle of this.#moments) this.#timers.clearTimeout(handle);
    this.#moments.clear();
    this.#waiting.clear();
  }

  /** Settles the records of the waiter at this name, unless they may be written. */
  #admitName(waiter: Waiter, name: DnsName, open: readonly LedgerEntry[], goesAlong: boolean): SlotPlan {
    const { provider } = waiter.request;
    const now = this.#clock.now();
    const wanted = waiter.records.filter((record) => record.name === name && waiter.isOpen(record));
    const max = provider.capabilities.maxValuesPerName;
    const place = placeOf(waiter, name);
    const entries = wanted.map((record) => ledgerEntry(record, now));
    const plan = planSlots(open, entries, max, goesAlong || this.#isRecent(place, open, now));
    if (plan.action === 'wait') {
      this.#queue(place, waiter.request.owner);
      if (plan.until === 'moment') this.#callLater(place, now);
      const reason =
        plan.until === 'settle'
          ? `${provider.displayName}: the ${max} places at ${name} are in use; waiting until ${describeOwners(open)} is done`
          : `${provider.displayName}: the last write at ${name} may be less than ${slotOrderMs / 1000} s old`;
      for (const record of wanted) waiter.settle(record, { status: 'waiting', reason });
    }
    if (plan.action === 'refuse') {
      const message = `${provider.displayName}: ${name} holds ${max} values at most, and one order needs ${wanted.length} there. Give some of its names an account of their own.`;
      const error = new ProviderError({ kind: 'invalid', message });
      for (const record of wanted) waiter.settle(record, { status: 'failed', error });
    }
    return plan;
  }

  #isRecent(place: string, open: readonly LedgerEntry[], now: number): boolean {
    const last = this.#lastWriteAt.get(place);
    if (last !== undefined) return now - last < slotOrderMs;
    // Nothing written since the start: an earlier process may have, up to the instant at which it ended, and what it
    // wrote may be crossed out by now.
    return now - this.#startedAt < slotOrderMs || open.some((entry) => now - entry.since < slotOrderMs);
  }

  #queue(place: string, owner: string): void {
    const owners = this.#waiting.get(place);
    if (owners === undefined) this.#waiting.set(place, new Set([owner]));
    else owners.add(owner);
  }

  #callLater(place: string, now: number): void {
    const ms = (this.#lastWriteAt.get(place) ?? now) + slotOrderMs - now;
    const handle = this.#timers.setTimeout(() => {
      this.#moments.delete(handle);
      this.#callAll(place);
    }, ms);
    this.#moments.add(handle);
  }

  #callAll(place: string): void {
    const owners = this.#waiting.get(place);
    this.#waiting.delete(place);
    for (const owner of owners ?? []) this.#call(owner);
  }
}

function placeKey(account: string, zoneId: string, name: DnsName): string {
  return `${account} ${zoneId} ${name}`;
}

function placeOf({ request }: Waiter, name: DnsName): string {
  return placeKey(request.provider.account, request.zone.id, name);
}

function describeOwners(open: readonly LedgerEntry[]): string {
  const owners = [...new Set(open.map((entry) => entry.owner))];
  return owners.length === 1 ? `order ${owners[0]}` : `one of the orders ${owners.join(', ')}`;
}
