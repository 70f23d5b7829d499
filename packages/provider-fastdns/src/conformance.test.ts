import { fastdns } from '@zoneproof/provider-fastdns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startFastdnsFixture } from './testing/emulator-fixture.ts';

describeProvider({
  plugin: fastdns,
  packageDir: new URL('..', import.meta.url),
  setup: startFastdnsFixture,
  setAside: {
    'A7 pretendWrites': 'the API answers a write with 204 and no body; a transaction of its own is taken at its word',
    Z2: 'nothing is ever asked of a person first',
    'E8 zone-twice-public': 'Edge DNS has one zone of a name',
    'E8 zone-public-and-private': 'Edge DNS has no private zones',
  },
});
