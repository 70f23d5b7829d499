import type { ChangeOutcome, RecordTarget, TxtChange, Zone } from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { Lab } from '@zoneproof/provider-testkit';
import type { AkamaiEdgeDnsEmulator } from '@zoneproof/provider-testkit/akamai-edge-dns';
import { fastdns } from '../plugin.ts';
import { startFastdnsFixture } from './emulator-fixture.ts';

type Instance = ReturnType<Lab['start']>;

export const zone: Zone = { id: 'example.test', name: toDnsName('example.test') };

/** An emulator and a lab made anew for each test of a file, with a fresh name. */
export class Emulated {
  fixture!: Awaited<ReturnType<typeof startFastdnsFixture>>;
  lab!: Lab;
  target!: RecordTarget;

  constructor() {
    beforeEach(async () => {
      this.fixture = await startFastdnsFixture();
      this.lab = new Lab(fastdns, '', this.fixture);
      this.target = await this.fixture.newTarget();
    });
    afterEach(async () => {
      await this.lab.close();
      await this.fixture.close();
    });
  }

  get emulator(): AkamaiEdgeDnsEmulator {
    return this.fixture.emulator;
  }

  get name(): DnsName {
    return this.target.name;
  }

  present(value = this.lab.value(), at = this.name): readonly TxtChange[] {
    return this.lab.changes(['present', at, value]);
  }

  absent(value: string, at = this.name): readonly TxtChange[] {
    return this.lab.changes(['absent', at, value]);
  }

  /** Outcomes as text; what is thrown counts for every change. */
  async apply(changes: readonly TxtChange[], instance: Instance = this.lab.start()): Promise<readonly string[]> {
    return shown(await instance.tryApply(zone, changes));
  }

  actions(from = 0): readonly string[] {
    return this.emulator.seen.slice(from).map(({ action }) => action);
  }

  valuesAt(at: DnsName): readonly string[] {
    return [...this.emulator.published(at).values].sort();
  }
}

export function shown(outcomes: readonly ChangeOutcome[]): readonly string[] {
  return outcomes.map((one) => ('error' in one ? `${one.status} ${one.error.kind}: ${one.error.message}` : one.status));
}
