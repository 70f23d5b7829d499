import type { ChangeOutcome, TxtChange } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { Secrets } from '@zoneproof/provider-testkit';
import type { GoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import type { ClouddnsConfig } from '../config.ts';
import { type Bench, startBench } from './bench-host.ts';
import { type CloudDnsFixture, startCloudDnsFixture } from './emulator-fixture.ts';

export const zone = { id: 'example-test', name: toDnsName('example.test') };

/** One emulator for a test file, and a provider made anew for each test. */
export class Emulated {
  /** What the next call finds in the Secrets. */
  secrets: Secrets = {};
  /** How far the provider's clock is ahead. */
  clockOffMs = 0;
  bench!: Bench;
  fixture!: CloudDnsFixture;
  #domains = 0;

  constructor() {
    beforeAll(async () => {
      this.fixture = await startCloudDnsFixture();
    });
    afterAll(() => this.fixture.close());
    beforeEach(() => {
      this.secrets = this.fixture.secrets;
      this.clockOffMs = 0;
      this.restart();
    });
    afterEach(() => this.bench.close());
  }

  get emulator(): GoogleCloudDns {
    return this.fixture.emulator;
  }

  restart(more: Partial<ClouddnsConfig> = {}): void {
    this.bench = startBench(
      { ...(this.fixture.config as ClouddnsConfig), ...more },
      { secrets: () => this.secrets, now: () => Date.now() + this.clockOffMs },
    );
  }

  newDomain(): string {
    return `d${this.#domains++}.example.test`;
  }

  apply(...changes: readonly TxtChange[]): Promise<readonly ChangeOutcome[]> {
    return this.bench.provider.apply(zone, changes, this.bench.call());
  }

  published(domain: string) {
    return this.emulator.published(toDnsName(`_acme-challenge.${domain}`));
  }

  /** Another writer's value, with a TTL of 300 s. */
  plant(domain: string, value: string): void {
    this.emulator.plant(toDnsName(`_acme-challenge.${domain}`), value, 300);
  }

  /** The actions that reach the emulator while `work` runs, whatever becomes of it. */
  async actions(work: () => Promise<unknown>): Promise<readonly string[]> {
    const before = this.emulator.seen.length;
    await work().catch(() => undefined);
    return this.emulator.seen.slice(before).map(({ action }) => action);
  }
}
