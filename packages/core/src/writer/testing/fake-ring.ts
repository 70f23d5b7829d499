import type { DnsName } from '@zoneproof/dns';
import type { CallContext, Capabilities, ChangeOutcome, TxtChange } from '../../contract/index.ts';
import { ProviderError } from '../../contract/index.ts';
import type { FakeClock } from '../../time/fake-clock.ts';
import { pause } from '../../time/index.ts';
import type { BoundProvider } from '../index.ts';

interface Row {
  value: string;
  /** Whole seconds, as acme-dns keeps them. */
  updatedAt: number;
}

/** A service of model `slots`: two rows a name, the older is overwritten, and rows of one second have no order. */
export class FakeRing {
  readonly rows = new Map<DnsName, Row[]>();
  writes = 0;
  /** Each request: carried out and answered, carried out with the answer lost, or lost itself. */
  readonly fates: ('answered' | 'lost-answer' | 'lost-request')[] = [];
  readonly capabilities: Capabilities;
  readonly #clock: FakeClock;
  readonly #chooseFirst: () => boolean;

  constructor(clock: FakeClock, chooseFirst: () => boolean, maxChanges = 2) {
    this.#clock = clock;
    this.#chooseFirst = chooseFirst;
    this.capabilities = {
      model: 'slots',
      maxValuesPerName: 2,
      batch: { maxChanges, atomic: false },
      writeScope: 'name',
      compareAndSet: false,
      ttl: { min: 1, max: 1, default: 1 },
      sync: false,
      buckets: [],
    };
  }

  bind(): BoundProvider {
    return {
      block: { issuer: 'Issuer/default/ca', name: 'ring', key: 'ring', config: {} },
      displayName: 'ring "ring"',
      account: 'ring:a',
      capabilities: this.capabilities,
      provider: { apply: (_zone, changes, call) => this.#apply(changes, call), check: async () => [] },
    };
  }

  at(name: string): readonly string[] {
    return (this.rows.get(name as DnsName) ?? []).map((row) => row.value);
  }

  async #apply(changes: readonly TxtChange[], call: CallContext): Promise<readonly ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    for (const change of changes) outcomes.push(await this.#applyOne(change, call));
    return outcomes;
  }

  async #applyOne({ state, name, value }: TxtChange, call: CallContext): Promise<ChangeOutcome> {
    if (state === 'absent' || this.at(name).includes(value)) return { status: 'unchanged' };
    await pause(this.#clock, 40, call.signal);
    const fate = this.fates.shift() ?? 'answered';
    if (fate !== 'lost-request') this.#write(name, value);
    if (fate === 'answered') return { status: 'changed' };
    return { status: 'unknown', error: new ProviderError({ kind: 'unavailable', message: 'ring: no answer' }) };
  }

  #write(name: DnsName, value: string): void {
    this.writes++;
    const rows = this.rows.get(name) ?? [
      { value: '', updatedAt: 0 },
      { value: '', updatedAt: 0 },
    ];
    this.rows.set(name, rows);
    const [first, second] = rows as [Row, Row];
    const isFirst = first.updatedAt === second.updatedAt ? this.#chooseFirst() : first.updatedAt < second.updatedAt;
    const row = isFirst ? first : second;
    row.value = value;
    row.updatedAt = Math.floor(this.#clock.now() / 1000);
  }
}
