import type { DnsName } from '@zoneproof/dns';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** A ledger that forgets at the end of the process: for tests and for commands that clean up before they end. */
export class MemoryLedger implements Ledger {
  readonly #entries = new Map<string, LedgerEntry>();

  constructor(entries: readonly LedgerEntry[] = []) {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  async record(entries: readonly LedgerEntry[]): Promise<void> {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  async settle(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#entries.delete(id);
  }

  held(account: string, zoneId: string, name: DnsName): readonly LedgerEntry[] {
    return this.entries().filter(
      (entry) => entry.account === account && entry.zone.id === zoneId && entry.name === name,
    );
  }

  entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }
}
