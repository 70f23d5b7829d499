import { setTimeout as delay } from 'node:timers/promises';
import type { Egress, ProviderPlugin } from '@zoneproof/core';
import type { Fixture } from '../index.ts';
import { type Defect, memoryProvider } from '../testing/memory-provider.ts';
import { startMemoryService } from '../testing/memory-service.ts';
import { twoWriters } from './index.ts';
import { SeededRandom } from './random.ts';

/** The service in memory behind a wire that takes its time, now less and now more, so that two hosts come between each other. */
function overTheWire(fixture: Fixture): Fixture {
  const { egress } = fixture as Fixture & { readonly egress: Egress };
  const random = new SeededRandom(7);
  const slow: Egress = {
    ...egress,
    http: async (request) => {
      await delay(random.between(1, 12));
      return egress.http(request);
    },
  };
  return { ...fixture, egress: slow };
}

/** The provider of the service in memory takes one name at a time. */
function oneByOne(defect: Defect | undefined): ProviderPlugin {
  const plugin = memoryProvider(defect) as ProviderPlugin;
  return { ...plugin, capabilities: { ...plugin.capabilities, batch: { maxChanges: 1, atomic: true } } };
}

const soak = (defect: Defect | undefined, seconds: number) =>
  twoWriters({
    plugin: oneByOne(defect),
    startFixture: async () => ({ fixture: overTheWire(startMemoryService()) }),
    seconds,
    seed: 4,
  });

test('two hosts with a provider that is right: nothing is lost, nothing is left', async () => {
  const report = await soak(undefined, 1.2);
  expect(report).toMatchObject({ violations: [] });
  expect(report.held).toBeGreaterThan(5);
  expect(report.crashes).toBeGreaterThan(0);
});

test.each<[Defect, RegExp]>([
  ['removes-whole-set', /is lost/],
  ['drops-sibling', /is lost/],
  ['never-sees-conflict', /is lost|removed is there/],
  ['remembers-own-writes', /removed is there/],
  ['takes-own-ttl', /TTL/],
])(
  'finds a provider that %s',
  async (defect, expected) => {
    const { violations } = await soak(defect, 10);
    expect(violations.join('\n')).toMatch(expected);
  },
  20_000,
);
