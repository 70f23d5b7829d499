import type { Ledger, LedgerEntry } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { RunEffect } from '../effects/effects.ts';
import type { OrderStatus } from '../resources/types.ts';
import { news, type StatusUpdate, type Store } from '../store/index.ts';

/**
 * The ledger of TXT values in the statuses of the Orders that want them; an entry's `owner` is `namespace/order`.
 * Reads come from an index that is built once from the store and kept by every write.
 */
export class StoreLedger implements Ledger {
  readonly #store: Store;
  readonly #run: RunEffect;
  readonly #byId = new Map<string, LedgerEntry>();
  readonly #byName = new Map<string, Map<string, LedgerEntry>>();

  constructor(store: Store, run: RunEffect) {
    this.#store = store;
    this.#run = run;
    for (const order of store.list('Order')) for (const entry of order.status.ledger ?? []) this.#index(entry);
  }

  async record(entries: readonly LedgerEntry[]): Promise<void> {
    const missing = await this.#run('order.record-values', () =>
      this.#change(groupByOwner(entries), (ledger, changed) => [
        ...ledger.filter((old) => !changed.some((entry) => entry.id === old.id)),
        ...changed,
      ]),
    );
    // A value may be written only when its intent is stored: without the Order there is nowhere to store it.
    if (missing.length > 0)
      throw new Error(`Order ${missing.join(', ')} is gone, and with it the list of its TXT values.`);
    for (const entry of entries) this.#index(entry);
  }

  async settle(ids: readonly string[]): Promise<void> {
    const entries = ids.map((id) => this.#byId.get(id)).filter((entry) => entry !== undefined);
    if (entries.length === 0) return;
    await this.#run('order.settle-values', () =>
      this.#change(
        groupByOwner(entries),
        (ledger, settled) => ledger.filter((entry) => !settled.some(({ id }) => id === entry.id)),
        // A value that is still listed after a crash is removed once more.
        news,
      ),
    );
    for (const entry of entries) this.#forget(entry);
  }

  held(account: string, zoneId: string, name: DnsName): readonly LedgerEntry[] {
    return [...(this.#byName.get(nameKey(account, zoneId, name))?.values() ?? [])];
  }

  /** Open entries that some Order has to clean up. */
  get size(): number {
    return this.#byId.size;
  }

  /** The owners whose Order is not there any more. */
  async #change(
    groups: ReadonlyMap<string, readonly LedgerEntry[]>,
    change: (ledger: readonly LedgerEntry[], group: readonly LedgerEntry[]) => readonly LedgerEntry[],
    options: StatusUpdate = {},
  ): Promise<readonly string[]> {
    const missing: string[] = [];
    await Promise.all(
      [...groups].map(async ([owner, group]) => {
        const slash = owner.indexOf('/');
        const stored = await this.#store.updateStatus(
          'Order',
          owner.slice(0, slash),
          owner.slice(slash + 1),
          (order) => {
            const ledger = change(order.status.ledger ?? [], group);
            return { ...order.status, ledger } satisfies OrderStatus;
          },
          options,
        );
        if (stored === undefined) missing.push(owner);
      }),
    );
    return missing;
  }

  #index(entry: LedgerEntry): void {
    this.#byId.set(entry.id, entry);
    const key = nameKey(entry.account, entry.zone.id, entry.name);
    const atName = this.#byName.get(key) ?? new Map<string, LedgerEntry>();
    atName.set(entry.id, entry);
    this.#byName.set(key, atName);
  }

  #forget(entry: LedgerEntry): void {
    this.#byId.delete(entry.id);
    const key = nameKey(entry.account, entry.zone.id, entry.name);
    const atName = this.#byName.get(key);
    atName?.delete(entry.id);
    if (atName?.size === 0) this.#byName.delete(key);
  }
}

function nameKey(account: string, zoneId: string, name: DnsName): string {
  return JSON.stringify([account, zoneId, name]);
}

function groupByOwner(entries: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  const groups = new Map<string, LedgerEntry[]>();
  for (const entry of entries) groups.set(entry.owner, [...(groups.get(entry.owner) ?? []), entry]);
  return groups;
}
