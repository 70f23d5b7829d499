import { fuzzProvider } from '@zoneproof/farm';
import { rfc2136 } from '@zoneproof/provider-rfc2136';
import { startRfc2136Fixture } from './testing/sandbox-fixture.ts';

fuzzProvider({ plugin: rfc2136, startFixture: () => startRfc2136Fixture() });
