import { fuzzProvider } from '@zoneproof/farm';
import { fastdns } from '@zoneproof/provider-fastdns';
import { startFastdnsFixture } from './testing/emulator-fixture.ts';

fuzzProvider({ plugin: fastdns, startFixture: () => startFastdnsFixture() });
