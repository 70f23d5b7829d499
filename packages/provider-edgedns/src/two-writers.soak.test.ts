import { edgedns } from '@zoneproof/provider-edgedns';
import { describeTwoWriters, emulatorDisturbances } from '@zoneproof/provider-testkit';
import { startCloudflareFixture } from './testing/cloudflare-fixture.ts';

describeTwoWriters({
  plugin: edgedns,
  async startFixture(clock) {
    // The five minutes of the rate limit pass as fast as the hosts' clock.
    const fixture = await startCloudflareFixture('token', { now: () => clock.now() });
    return { fixture, disturbances: emulatorDisturbances(fixture.cloudflare) };
  },
});
