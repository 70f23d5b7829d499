import { acmedns } from '@zoneproof/provider-acmedns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { cannotHave } from './testing/bad-days.ts';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

describeProvider({
  plugin: acmedns,
  packageDir: new URL('..', import.meta.url),
  setup: startAcmednsFixture,
  setAside: {
    Z3: 'the zone of a name is its account, there is no list',
    ...cannotHave,
  },
});
