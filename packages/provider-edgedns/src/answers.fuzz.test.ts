import { fuzzProvider } from '@zoneproof/farm';
import { edgedns } from '@zoneproof/provider-edgedns';
import { startCloudflareFixture } from './testing/cloudflare-fixture.ts';

fuzzProvider({ plugin: edgedns, startFixture: () => startCloudflareFixture() });
