import { routedns } from '@zoneproof/provider-routedns';
import { describeTwoWriters, emulatorDisturbances } from '@zoneproof/provider-testkit';
import { type AccessPolicy, readingPolicy, writingPolicy } from '@zoneproof/provider-testkit/route53';
import { startRoute53Fixture } from './testing/route53-fixture.ts';

// Without the right to read, what stands beside values of others is left to a person.
const policies: readonly (readonly [title: string, policy: AccessPolicy, foreign: boolean])[] = [
  ['a policy that grants no reading', writingPolicy, false],
  ['a policy with reading', readingPolicy, true],
];

for (const [under, policy, foreign] of policies)
  describeTwoWriters({
    plugin: routedns,
    under,
    async startFixture() {
      const fixture = await startRoute53Fixture({ policy });
      return { fixture, foreign, disturbances: emulatorDisturbances(fixture.aws) };
    },
  });
