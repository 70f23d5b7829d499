import { routedns } from '@zoneproof/provider-routedns';
import { describeTwoWriters, emulatorDisturbances } from '@zoneproof/provider-testkit';
import { type AccessPolicy, readingPolicy, writingPolicy } from '@zoneproof/provider-testkit/route53';
import { startRoute53Fixture } from './testing/route53-fixture.ts';

const policies: readonly (readonly [title: string, policy: AccessPolicy])[] = [
  ['a policy that grants no reading', writingPolicy],
  ['a policy with reading', readingPolicy],
];

for (const [under, policy] of policies)
  describeTwoWriters({
    plugin: routedns,
    under,
    async startFixture() {
      const fixture = await startRoute53Fixture({ policy });
      return {
        fixture,
        disturbances: emulatorDisturbances(fixture.aws),
        // "Allow that action": without reading, values may get stuck beside those of others.
        heedErrors: () => fixture.aws.setPolicy(readingPolicy),
      };
    },
  });
