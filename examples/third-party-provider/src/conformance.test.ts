import { describeProvider } from '@zoneproof/provider-testkit';
import { exampledns } from './plugin.ts';
import { startFixture } from './testing/fixture.ts';

describeProvider({
  plugin: exampledns,
  packageDir: new URL('..', import.meta.url),
  setup: startFixture,
  setAside: {
    Z2: 'nothing is ever asked of a person',
    'E8 clock-off': 'a token does not depend on the time of day',
    'E8 zone-public-and-private': 'the service has no private zones',
  },
});
