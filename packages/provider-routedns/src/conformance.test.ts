import { routedns } from '@zoneproof/provider-routedns';
import { describeProvider } from '@zoneproof/provider-testkit';
import { readingPolicy, writingPolicy } from '@zoneproof/provider-testkit/route53';
import { startRoute53Fixture } from './testing/route53-fixture.ts';

const packageDir = new URL('..', import.meta.url);
const setAside = {
  Z2: 'nothing is asked of a person before a zone is found',
  'A7 pretendWrites': 'a change of Route 53 is a transaction, and its answer carries no records to compare',
};

describeProvider({
  plugin: routedns,
  packageDir,
  against: 'the policy of the specification',
  // Foreign values stand in multivalue sets: beside a simple set nobody can write who may not read it.
  setup: () => startRoute53Fixture({ policy: writingPolicy, plantAs: 'multivalue' }),
  setAside: {
    ...setAside,
    A4: 'several writers of one simple set have to read it',
    A9: 'a simple set to which another writer has added has to be read',
  },
});

describeProvider({
  plugin: routedns,
  packageDir,
  against: 'a policy that allows reading',
  setup: () => startRoute53Fixture({ policy: readingPolicy }),
  setAside,
});
