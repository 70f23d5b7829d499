import { fuzzProvider } from '@zoneproof/farm';
import { routedns } from '@zoneproof/provider-routedns';
import { startRoute53Fixture } from './testing/route53-fixture.ts';

fuzzProvider({ plugin: routedns, startFixture: () => startRoute53Fixture() });
