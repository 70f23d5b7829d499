import { fuzzProvider } from '@zoneproof/farm';
import { acmedns } from '@zoneproof/provider-acmedns';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

fuzzProvider({ plugin: acmedns, startFixture: () => startAcmednsFixture() });
