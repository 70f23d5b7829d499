import { edgedns } from '@zoneproof/provider-edgedns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startCloudflareFixture } from './testing/cloudflare-fixture.ts';

const packageDir = new URL('..', import.meta.url);
const setAside = { Z2: 'nothing is asked of a person before a zone is found' };

describeProvider({
  plugin: edgedns,
  packageDir,
  against: 'an API token',
  setup: () => startCloudflareFixture('token'),
  setAside,
});

describeProvider({
  plugin: edgedns,
  packageDir,
  against: 'a Global API Key',
  setup: () => startCloudflareFixture('key'),
  setAside,
});
