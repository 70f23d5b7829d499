import type { DnsName } from '@zoneproof/dns';
import { type Clock, ProviderError } from '../contract/index.ts';
import type { TimerHandle, Timers } from '../time/index.ts';
import { ledgerEntry } from './entry.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Waiter, WaitingRecord } from './queue.ts';
import { planSlots, slotOrderMs } from './slots.ts';

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
    for (const waiter of new Set(records.map((record) => record.waiter))) {
      if (waiter.request.state === 'absent') continue;
      for (const name of new Set(records.filter((record) => record.waiter === waiter).map(({ name }) => name))) {
        const entries = this.#admitName(waiter, name, openAt);
        for (const entry of entries) toRecord.set(entry.id, entry);
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

  #admitName(waiter: Waiter, name: DnsName, openAt: Map<DnsName, readonly LedgerEntry[]>): readonly LedgerEntry[] {
    const { provider } = waiter.request;
    const now = this.#clock.now();
    const wanted = waiter.records.filter((record) => record.name === name && waiter.isOpen(record));
    const open = openAt.get(name) ?? [];
    const max = provider.capabilities.maxValuesPerName;
    const place = placeOf(waiter, name);
    const plan = planSlots(
      open,
      wanted.map((record) => ledgerEntry(record, now)),
      max,
      this.#isRecent(place, open, now),
    );
    switch (plan.action) {
      case 'write':
        openAt.set(name, plan.open);
        return plan.record;
      case 'wait': {
        this.#queue(place, waiter.request.owner);
        if (plan.until === 'moment') this.#callLater(place, now);
        const reason =
          plan.until === 'settle'
            ? `${provider.displayName}: the ${max} places at ${name} are in use; waiting until ${describeOwners(open)} is done`
            : `${provider.displayName}: the last write at ${name} may be less than ${slotOrderMs / 1000} s old`;
        for (const record of wanted) waiter.settle(record, { status: 'waiting', reason });
        return [];
      }
      case 'refuse': {
        const message = `${provider.displayName}: ${name} holds ${max} values at most, and one order needs ${wanted.length} there. Give some of its names an account of their own.`;
        const error = new ProviderError({ kind: 'invalid', message });
        for (const record of wanted) waiter.settle(record, { status: 'failed', error });
        return [];
      }
    }
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
