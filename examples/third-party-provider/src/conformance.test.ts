import { describeProvider } from '@zoneproof/provider-testkit';
import { exampledns } from './plugin.ts';
import { startFixture } from './testing/fixture.ts';

describeProvider({
  plugin: exampledns,
  packageDir: new URL('..', import.meta.url),
  setup: startFixture,
  setAside: { Z2: 'nothing is ever asked of a person' },
});
