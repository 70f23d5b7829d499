import { fuzzProvider } from '@zoneproof/farm';
import { clouddns } from '@zoneproof/provider-clouddns';
import { startCloudDnsFixture } from './testing/emulator-fixture.ts';

fuzzProvider({ plugin: clouddns, startFixture: () => startCloudDnsFixture() });
