import { acmedns } from '@zoneproof/provider-acmedns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { startAcmednsFixture } from './testing/sandbox-fixture.ts';

describeProvider({ plugin: acmedns, packageDir: new URL('..', import.meta.url), setup: startAcmednsFixture });
