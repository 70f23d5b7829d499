import { type DnsName, toDnsName } from '@zoneproof/dns';
import {
  type CallContext,
  type Capabilities,
  type ChangeOutcome,
  ProviderError,
  type ProviderErrorKind,
  type TxtChange,
  type Zone,
} from '../../contract/index.ts';
import type { FakeClock } from '../../time/fake-clock.ts';
import { onAbort } from '../../time/index.ts';
import type { BoundProvider, Ledger } from '../index.ts';

export const zone: Zone = { id: 'z1', name: toDnsName('example.com') };

/** What the next request to the service meets. */
export type Fault =
  | { readonly kind: ProviderErrorKind; readonly retryAfterMs?: number }
  /** The request is carried out and the answer is lost. */
  | 'lost-answer'
  /** The request is lost; the client cannot tell. */
  | 'lost-request'
  /** The provider package throws something that is no ProviderError. */
  | 'broken'
  /** No answer until the call's signal fires. */
  | 'silent'
  /** As silent, and the signal is ignored. */
  | 'deaf';

export interface FakeServiceOptions {
  readonly clock: FakeClock;
  readonly ledger: Ledger;
  readonly capabilities?: Partial<Capabilities>;
  /** How long a request takes; default 10. */
  readonly latencyMs?: number;
}

/**
 * A DNS service in memory with the provider that talks to it: test data for the writer. It keeps the contract itself
 * and notes every breach of the host's side of it.
 */
export class FakeService {
  readonly values = new Map<DnsName, Set<string>>();
  readonly requests: (readonly TxtChange[])[] = [];
  readonly breaches: string[] = [];
  /** Taken one by one, each by a request; undefined lets one pass. */
  readonly faults: (Fault | undefined)[] = [];
  /** Values that the service refuses, with the kind it gives. */
  readonly refused = new Map<string, ProviderErrorKind>();
  readonly capabilities: Capabilities;
  readonly #clock: FakeClock;
  readonly #ledger: Ledger;
  readonly #latencyMs: number;
  readonly #busy = new Map<string, number>();

  constructor(options: FakeServiceOptions) {
    this.#clock = options.clock;
    this.#ledger = options.ledger;
    this.#latencyMs = options.latencyMs ?? 10;
    this.capabilities = {
      model: 'message',
      maxValuesPerName: 100,
      batch: { maxChanges: 50, atomic: true },
      writeScope: 'zone',
      compareAndSet: true,
      ttl: { min: 0, max: 86_400, default: 60 },
      sync: false,
      buckets: [],
      ...options.capabilities,
    };
  }

  bind(account = 'fake:a', name = 'lab'): BoundProvider {
    return {
      block: { issuer: 'Issuer/default/ca', name, key: 'fake', config: {} },
      displayName: `fake "${name}"`,
      account,
      capabilities: this.capabilities,
      provider: {
        apply: (where, changes, call) => this.#apply(account, where, changes, call),
        check: async () => [],
      },
    };
  }

  at(name: string): readonly string[] {
    return [...(this.values.get(name as DnsName) ?? [])].sort();
  }

  plant(name: string, ...values: string[]): void {
    for (const value of values) this.#set(toDnsName(name)).add(value);
  }

  async #apply(
    account: string,
    where: Zone,
    changes: readonly TxtChange[],
    call: CallContext,
  ): Promise<readonly ChangeOutcome[]> {
    await call.permit();
    this.#inspect(account, where, changes);
    this.requests.push(changes);
    const leave = this.#enter(account, where, changes);
    const fault = this.faults.shift();
    try {
      await this.#wait(fault === 'silent' || fault === 'deaf', fault === 'deaf' ? undefined : call.signal);
      if (call.signal.aborted) return changes.map(() => this.#unknown('aborted'));
      return this.#answer(changes, fault);
    } finally {
      leave();
    }
  }

  #answer(changes: readonly TxtChange[], fault: Fault | undefined): readonly ChangeOutcome[] {
    if (fault === 'broken') throw new TypeError('cannot read properties of undefined');
    if (fault === 'lost-request') return changes.map(() => this.#unknown('unavailable'));
    if (typeof fault === 'object') return changes.map(() => this.#failed(fault.kind, fault.retryAfterMs));
    const { atomic } = this.capabilities.batch;
    const bad = changes.find((change) => this.refused.has(change.value));
    if (atomic && bad !== undefined) return changes.map(() => this.#failed(this.refused.get(bad.value)!));
    const outcomes = changes.map((change): ChangeOutcome => {
      const refusal = this.refused.get(change.value);
      if (refusal !== undefined) return this.#failed(refusal);
      const values = this.#set(change.name);
      if ((change.state === 'present') === values.has(change.value)) return { status: 'unchanged' };
      if (change.state === 'present') values.add(change.value);
      else values.delete(change.value);
      return { status: 'changed', receipt: { kind: 'fake', token: change.value } };
    });
    return fault === 'lost-answer' ? changes.map(() => this.#unknown('unavailable')) : outcomes;
  }

  #inspect(account: string, where: Zone, changes: readonly TxtChange[]): void {
    const { maxChanges, maxValueBytes = Number.POSITIVE_INFINITY } = this.capabilities.batch;
    if (changes.length === 0) this.breaches.push('an empty batch');
    if (changes.length > maxChanges) this.breaches.push(`${changes.length} changes in one batch`);
    const bytes = changes.reduce((sum, change) => sum + change.value.length, 0);
    if (bytes > maxValueBytes && changes.length > 1) this.breaches.push(`${bytes} octets in one batch`);
    if (new Set(changes.map((change) => `${change.name} ${change.value}`)).size < changes.length)
      this.breaches.push('one value twice in one batch');
    for (const change of changes) {
      const entries = this.#ledger.held(account, where.id, change.name);
      if (change.state === 'present' && !entries.some((entry) => entry.value === change.value))
        this.breaches.push(`${change.value} was sent before it was recorded`);
      if (change.held.values.includes(change.value)) this.breaches.push(`${change.value} is among its own held values`);
    }
  }

  #enter(account: string, where: Zone, changes: readonly TxtChange[]): () => void {
    const keys = {
      none: [],
      name: [...new Set(changes.map((change) => change.name))],
      zone: [`${account} ${where.id}`],
      account: [account],
    }[this.capabilities.writeScope];
    for (const key of keys) {
      if ((this.#busy.get(key) ?? 0) > 0) this.breaches.push(`two calls at once in ${key}`);
      this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    }
    return () => {
      for (const key of keys) this.#busy.set(key, this.#busy.get(key)! - 1);
    };
  }

  #wait(forever: boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let forget = () => undefined as unknown;
      const done = () => {
        this.#clock.clearTimeout(timer);
        forget();
        resolve();
      };
      const timer = forever ? undefined : this.#clock.setTimeout(done, this.#latencyMs);
      if (signal !== undefined) forget = onAbort(signal, done);
    });
  }

  #set(name: DnsName): Set<string> {
    const known = this.values.get(name) ?? new Set();
    this.values.set(name, known);
    return known;
  }

  #failed(kind: ProviderErrorKind, retryAfterMs?: number): ChangeOutcome {
    const details = { kind, message: `fake: ${kind}`, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    return { status: 'failed', error: new ProviderError(details) };
  }

  #unknown(kind: ProviderErrorKind): ChangeOutcome {
    return { status: 'unknown', error: new ProviderError({ kind, message: `fake: no answer` }) };
  }
}
