import type { ChangeOutcome, RecordTarget, Zone } from '@zoneproof/core';
import { Lab } from '@zoneproof/provider-testkit';
import { edgedns } from '../plugin.ts';
import { type CloudflareFixture, startCloudflareFixture } from './cloudflare-fixture.ts';

/** An emulator and a lab made anew for each test of a file, with a fresh name and its zone. */
export class Emulated {
  fixture!: CloudflareFixture;
  lab!: Lab;
  target!: RecordTarget;
  zone!: Zone;

  constructor() {
    beforeEach(async () => {
      this.fixture = await startCloudflareFixture();
      this.lab = new Lab(edgedns, '', this.fixture);
      Object.assign(this, await this.lab.prepare());
    });
    afterEach(async () => {
      await this.lab.close();
      await this.fixture.close();
    });
  }

  valuesAt(name = this.target.name): readonly string[] {
    return this.fixture.cloudflare.published(name).values;
  }
}

export function shown(outcomes: readonly ChangeOutcome[]): string[] {
  return outcomes.map((one) => ('error' in one ? `${one.status} ${one.error.kind}: ${one.error.message}` : one.status));
}
