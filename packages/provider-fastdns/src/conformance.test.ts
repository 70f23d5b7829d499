import { fastdns } from '@zoneproof/provider-fastdns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startFastdnsFixture } from './testing/emulator-fixture.ts';

describeProvider({ plugin: fastdns, packageDir: new URL('..', import.meta.url), setup: startFastdnsFixture });
