import { rfc2136 } from '@zoneproof/provider-rfc2136';
import { describeProvider } from '@zoneproof/provider-testkit';
import { cannotHave } from './testing/bad-days.ts';
import { startRfc2136Fixture } from './testing/sandbox-fixture.ts';

describeProvider({
  plugin: rfc2136,
  packageDir: new URL('..', import.meta.url),
  setup: startRfc2136Fixture,
  setAside: cannotHave,
});
