import { clouddns } from '@zoneproof/provider-clouddns';
import { describeTwoWriters, emulatorDisturbances } from '@zoneproof/provider-testkit';
import { startCloudDnsFixture } from './testing/emulator-fixture.ts';

describeTwoWriters({
  plugin: clouddns,
  async startFixture() {
    const fixture = await startCloudDnsFixture();
    return { fixture, disturbances: emulatorDisturbances(fixture.emulator) };
  },
});
