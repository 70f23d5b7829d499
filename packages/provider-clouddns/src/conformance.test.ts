import { clouddns } from '@zoneproof/provider-clouddns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startCloudDnsFixture } from './testing/emulator-fixture.ts';

describeProvider({
  plugin: clouddns,
  packageDir: new URL('..', import.meta.url),
  setup: startCloudDnsFixture,
  setAside: {
    Z2: 'nothing is ever asked of a person',
    'A7 pretendWrites': 'the answer to a change is the change that was asked for and proves nothing',
  },
});
