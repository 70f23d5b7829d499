import { edgedns } from '@zoneproof/provider-edgedns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startCloudflareFixture } from './testing/cloudflare-fixture.ts';

const packageDir = new URL('..', import.meta.url);
const setAside = {
  Z2: 'nothing is asked of a person before a zone is found',
  'E8 clock-off': 'no request carries a time',
};

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
  setAside: {
    ...setAside,
    'E8 expired-credentials': 'a Global API Key does not expire',
    'E8 missing-permission': 'a Global API Key may do everything that its user may',
  },
});
