import { randomBytes } from 'node:crypto';
import {
  type BoundProvider,
  bindProvider,
  type Clock,
  createEgress,
  createProviderCalls,
  createRecordWriter,
  createSyncSignal,
  createZoneFinder,
  type Egress,
  type Ledger,
  type LedgerEntry,
  MemoryLedger,
  ProviderError,
  type ProviderPlugin,
  type Receipt,
  type RecordTarget,
  type RecordWriter,
  SecretValue,
  type SyncSignal,
  type Zone,
  type ZoneFinder,
} from '@zoneproof/core';
import type { Fixture } from '../conformance/fixture.ts';
import type { FastTime } from './fast-time.ts';

export interface HostParts {
  readonly fixture: Pick<Fixture, 'config' | 'secrets' | 'egress'>;
  readonly plugin: ProviderPlugin;
  readonly time: FastTime;
  /** For the provider. */
  readonly clock: Clock;
}

/**
 * What a controller is to a provider: record writer, zone finder, sync signal and a provider object of its own. Its
 * ledger outlives it, as a disk does.
 */
export class WritingHost {
  readonly name: string;
  readonly ledger = new MemoryLedger();
  readonly #fixture: HostParts['fixture'];
  readonly #plugin: ProviderPlugin;
  readonly #time: FastTime;
  readonly #clock: Clock;
  readonly #hear: (said: unknown) => void;
  #life: Life;
  #up: Promise<void> = Promise.resolve();

  constructor(name: string, { fixture, plugin, time, clock }: HostParts, hear: (said: unknown) => void) {
    this.name = name;
    this.#fixture = fixture;
    this.#plugin = plugin;
    this.#time = time;
    this.#clock = clock;
    this.#hear = hear;
    this.#life = this.#begin();
  }

  /** The process of the moment; waits for one while there is none. */
  async life(): Promise<Life> {
    await this.#up;
    return this.#life;
  }

  /** Drops the process in the middle of whatever it does; another one goes on from the ledger when `down` is over. */
  async crash(down: () => Promise<void>): Promise<void> {
    let isUp: () => void = () => undefined;
    this.#up = new Promise((resolve) => {
      isUp = resolve;
    });
    await this.#life.end();
    await down();
    this.#life = this.#begin();
    isUp();
  }

  async close(): Promise<void> {
    await this.#life.end();
  }

  #begin(): Life {
    const { config, egress } = this.#fixture;
    const plugin = this.#plugin;
    const time = this.#time;
    const own = egress ?? createEgress();
    const issuer = `Issuer/${this.name}/letsencrypt`;
    const bound = bindProvider(
      plugin,
      { issuer, name: this.name, key: plugin.key, config },
      {
        egress: own,
        dns: own.dns,
        clock: this.#clock,
        random: (length) => randomBytes(length),
        secret: (ref) => ({
          get: async () => {
            const text = this.#fixture.secrets[ref.name]?.[ref.key];
            if (text !== undefined) return new SecretValue(Buffer.from(text));
            throw new ProviderError({ kind: 'auth', message: `Secret "${ref.name}" has no entry "${ref.key}"` });
          },
        }),
        warn: this.#hear,
      },
    );
    return new Life(bound, new MortalLedger(this.ledger), time, egress === undefined ? own : undefined);
  }
}

/** One process of a host. */
export class Life {
  readonly bound: BoundProvider;
  readonly writer: RecordWriter;
  readonly #zones: ZoneFinder;
  readonly #sync: SyncSignal;
  readonly #ledger: MortalLedger;
  readonly #egress: Egress | undefined;
  readonly #ending = new AbortController();
  readonly #slotFree = new Map<string, () => void>();

  constructor(bound: BoundProvider, ledger: MortalLedger, time: FastTime, egress: Egress | undefined) {
    const calls = createProviderCalls(time, time);
    this.bound = bound;
    this.#ledger = ledger;
    this.#egress = egress;
    const random = (length: number) => randomBytes(length);
    this.writer = createRecordWriter({ ledger, clock: time, timers: time, random, calls });
    this.writer.onSlotFree((owner) => this.#slotFree.get(owner)?.());
    this.#zones = createZoneFinder({ clock: time, timers: time, calls });
    this.#sync = createSyncSignal({ clock: time, calls, signal: this.#ending.signal });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** @throws ProviderError */
  readonly zoneOf = (target: RecordTarget): Promise<Zone> => this.#zones.find(this.bound, target, this.#ending.signal);

  /** For zones that are newer than the list. */
  forgetZones(): void {
    this.#zones.forget(this.bound);
  }

  readonly look = (receipt: Receipt): ReturnType<SyncSignal['look']> => this.#sync.look(this.bound, receipt);

  /** Resolves when the writer calls this owner. */
  slotFree(owner: string): Promise<void> {
    return new Promise((resolve) => this.#slotFree.set(owner, resolve));
  }

  /** As a killed process: nothing reaches its disk any more, its connections break. */
  async end(): Promise<void> {
    this.#ledger.dead = true;
    this.#ending.abort(new Error('the process is gone'));
    await this.#egress?.close();
    await this.writer.close();
    await this.bound.provider.close?.();
  }
}

/** The way from one process to the disk. */
class MortalLedger implements Ledger {
  dead = false;
  readonly #disk: Ledger;

  constructor(disk: Ledger) {
    this.#disk = disk;
  }

  async record(entries: readonly LedgerEntry[]): Promise<void> {
    if (this.dead) throw new Error('the process is gone');
    await this.#disk.record(entries);
  }

  async settle(ids: readonly string[]): Promise<void> {
    if (this.dead) throw new Error('the process is gone');
    await this.#disk.settle(ids);
  }

  held(...at: Parameters<Ledger['held']>): readonly LedgerEntry[] {
    return this.#disk.held(...at);
  }
}
