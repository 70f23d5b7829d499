import type { DnsName } from '@zoneproof/dns';
import { pause, type Timers } from '../../time/index.ts';
import type { BoundProvider, Ledger, LedgerEntry, MemoryLedger } from '../index.ts';

/**
 * A process that stops for good at its n-th boundary between two effects: what it waits for then never comes. The
 * ledger below it and the service live on, as a disk and a zone do.
 */
export class DoomedProcess implements Ledger {
  /** Boundaries passed. */
  passed = 0;
  readonly #ledger: MemoryLedger;
  readonly #timers: Timers;
  readonly #dieAt: number;

  constructor(ledger: MemoryLedger, timers: Timers, dieAt: number) {
    this.#ledger = ledger;
    this.#timers = timers;
    this.#dieAt = dieAt;
  }

  get dead(): boolean {
    return this.passed > this.#dieAt;
  }

  async record(entries: readonly LedgerEntry[]): Promise<void> {
    await this.#boundary();
    await this.#disk();
    await this.#ledger.record(entries);
    await this.#boundary();
  }

  async settle(ids: readonly string[]): Promise<void> {
    await this.#boundary();
    await this.#disk();
    await this.#ledger.settle(ids);
    await this.#boundary();
  }

  held(account: string, zoneId: string, name: DnsName): readonly LedgerEntry[] {
    return this.#ledger.held(account, zoneId, name);
  }

  /** The same provider inside this process. */
  bind(bound: BoundProvider): BoundProvider {
    return {
      ...bound,
      provider: {
        ...bound.provider,
        apply: async (zone, changes, call) => {
          await this.#boundary();
          const outcomes = await bound.provider.apply(zone, changes, call);
          await this.#boundary();
          return outcomes;
        },
      },
    };
  }

  /** Slower than the service, so that nobody gets away without waiting for it. */
  #disk(): Promise<void> {
    return pause(this.#timers, 40, new AbortController().signal);
  }

  #boundary(): Promise<void> {
    this.passed++;
    return this.dead ? new Promise(() => undefined) : Promise.resolve();
  }
}
