import { strict as assert } from 'node:assert';
import { createHash, randomBytes } from 'node:crypto';
import {
  type BoundProvider,
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  createEgress,
  createZoneFinder,
  type DnsProvider,
  type Egress,
  isProviderError,
  longestZone,
  ProviderError,
  type ProviderPlugin,
  providerTitle,
  type Receipt,
  type RecordTarget,
  SecretValue,
  type SyncState,
  systemClock,
  systemRandom,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Fixture, Secrets } from './fixture.ts';
import { Traffic } from './traffic.ts';

/** What one step works with: traffic it can disturb, a ledger of what it wrote, and everything the provider said. */
export class Lab {
  readonly plugin: ProviderPlugin;
  readonly packageDir: string;
  readonly fixture: Fixture;
  readonly traffic: Traffic;
  /** Warnings, outcomes, errors and findings, for the search for secrets. */
  readonly said: unknown[] = [];
  readonly #ledger = new Map<DnsName, Set<string>>();
  readonly #ownEgress: Egress | undefined;
  readonly #setAside: ReadonlySet<string>;

  /** `setAside`: promises, and means of the fixture by promise: `S1 forbidSync`. */
  constructor(
    plugin: ProviderPlugin,
    packageDir: string,
    fixture: Fixture,
    setAside: ReadonlySet<string> = new Set<string>(),
  ) {
    this.plugin = plugin;
    this.packageDir = packageDir;
    this.fixture = fixture;
    this.#setAside = setAside;
    this.#ownEgress = fixture.egress ? undefined : createEgress();
    this.traffic = new Traffic(fixture.egress ?? (this.#ownEgress as Egress));
  }

  /**
   * Whether the fixture has the means for a part of a step; false when `setAside` says why that part does not concern it.
   *
   * @throws AssertionError when it has not and nothing is said
   */
  has(step: string, means: 'pretendWrites' | 'forbidSync'): boolean {
    const entry = `${step} ${means}`;
    if (this.#setAside.has(entry)) return false;
    assert.ok(
      this.fixture[means] !== undefined,
      `the fixture has no ${means}; give it one, or say under '${entry}' of setAside why there is none`,
    );
    return true;
  }

  /** A new instance of the provider, as after a restart. */
  start(options: { readonly config?: object; readonly secrets?: Secrets; readonly egress?: Egress } = {}): Instance {
    const { egress = this.traffic.egress, config = this.fixture.config } = options;
    const providerName = providerTitle(this.plugin, 'lab');
    const provider = this.plugin.create(config as Parameters<ProviderPlugin['create']>[0], {
      providerName,
      egress,
      dns: egress.dns,
      clock: systemClock,
      random: systemRandom,
      secret: (ref) => ({
        get: async () => {
          const text = (options.secrets ?? this.fixture.secrets)[ref.name]?.[ref.key];
          if (text !== undefined) return new SecretValue(Buffer.from(text));
          const message = `${providerName}: Secret "${ref.name}" has no entry "${ref.key}". Create it.`;
          throw new ProviderError({ kind: 'auth', message });
        },
      }),
      warn: (message) => void this.said.push(message),
    });
    return new Instance(this, provider, config);
  }

  /** A fresh name with its zone, and an instance to write it with. */
  async prepare(): Promise<{ target: RecordTarget; name: DnsName; zone: Zone; instance: Instance }> {
    const target = await this.fixture.newTarget();
    const instance = this.start();
    const zone = await instance.zoneOf(target);
    assert.ok(zone, `no zone for ${target.name}`);
    return { target, name: target.name, zone, instance };
  }

  /** A fresh challenge value: 43 characters of base64url (RFC 8555 8.4). */
  value(): string {
    return createHash('sha256').update(randomBytes(16)).digest('base64url');
  }

  /** Changes of one `apply`, each with what the ledger holds besides; intents are recorded first, as the host does. */
  changes(...wanted: readonly (readonly ['present' | 'absent', DnsName, string])[]): readonly TxtChange[] {
    const { ttl } = this.plugin.capabilities;
    for (const [state, name, value] of wanted) {
      const values = this.#ledger.get(name) ?? new Set();
      this.#ledger.set(name, values);
      if (state === 'present') values.add(value);
    }
    return wanted.map(([state, name, value]) => {
      const values = [...(this.#ledger.get(name) ?? [])].filter((held) => held !== value);
      return {
        state,
        name,
        value,
        ttl: ttl.default,
        held: { values, ttl: values.length > 0 ? ttl.default : undefined },
      };
    });
  }

  /** Crosses a value out of the ledger. */
  settle(name: DnsName, value: string): void {
    this.#ledger.get(name)?.delete(value);
  }

  async close(): Promise<void> {
    await this.#ownEgress?.close();
  }
}

/** One provider object; what it says is kept in the lab. */
export class Instance {
  readonly provider: DnsProvider;
  readonly #lab: Lab;
  readonly #config: object;

  constructor(lab: Lab, provider: DnsProvider, config: object) {
    this.#lab = lab;
    this.provider = provider;
    this.#config = config;
  }

  call(signal: AbortSignal = AbortSignal.timeout(15_000)): CallContext {
    const { traffic } = this.#lab;
    return {
      signal,
      deadlineAt: Date.now() + 15_000,
      permit: async (_bucket, cost = 1) => {
        if (signal.aborted) throw new ProviderError({ kind: 'aborted', message: 'stopped while waiting for a permit' });
        traffic.permits += cost;
      },
    };
  }

  /** The zone of a target as the host finds it, with the host's own errors. @throws ProviderError */
  async hostZone(target: RecordTarget): Promise<Zone> {
    const { plugin, said } = this.#lab;
    const bound: BoundProvider = {
      block: { issuer: 'Issuer/default/lab', name: 'lab', key: plugin.key, config: this.#config },
      displayName: providerTitle(plugin, 'lab'),
      account: plugin.key,
      capabilities: { ...plugin.capabilities, buckets: [] },
      provider: this.provider,
    };
    const finder = createZoneFinder({ clock: systemClock });
    try {
      return await finder.find(bound, target, this.call().signal);
    } catch (error) {
      said.push(error);
      throw error;
    }
  }

  /** What the provider says of the zone of a target. @throws what the provider throws */
  async zoneOf(target: RecordTarget, signal?: AbortSignal): Promise<Zone | undefined> {
    const { provider } = this;
    try {
      if (provider.findZone) return await provider.findZone(target, this.call(signal));
      const found = longestZone(target.name, (await provider.listZones?.(this.call(signal))) ?? []);
      if (found && 'ambiguous' in found) throw new Error(`${found.ambiguous.length} zones are named alike`);
      return found;
    } catch (error) {
      this.#lab.said.push(error);
      throw error;
    }
  }

  /** @throws what the provider throws */
  async apply(zone: Zone, changes: readonly TxtChange[], signal?: AbortSignal): Promise<readonly ChangeOutcome[]> {
    const { said } = this.#lab;
    try {
      const outcomes = await this.provider.apply(zone, changes, this.call(signal));
      said.push(...outcomes);
      return outcomes;
    } catch (error) {
      said.push(error);
      throw error;
    }
  }

  /** As the host takes it: what is thrown counts for every change. */
  async tryApply(zone: Zone, changes: readonly TxtChange[], signal?: AbortSignal): Promise<readonly ChangeOutcome[]> {
    try {
      return await this.apply(zone, changes, signal);
    } catch (error) {
      if (!isProviderError(error)) throw error;
      const status = error.details.sent === true ? 'unknown' : 'failed';
      return changes.map(() => ({ status, error }));
    }
  }

  /** @throws what the provider throws */
  async syncState(receipt: Receipt): Promise<SyncState> {
    const { provider } = this;
    assert.ok(provider.syncState, 'the capabilities say sync, and there is no syncState');
    const state = await provider.syncState(receipt, this.call());
    this.#lab.said.push(state);
    return state;
  }

  async check(): Promise<readonly CheckItem[]> {
    const items = await this.provider.check(this.call());
    this.#lab.said.push(...items);
    return items;
  }
}
