import { setTimeout as delay } from 'node:timers/promises';
import { type Egress, ProviderError } from '@zoneproof/core';
import { type Break, memoryProvider } from '../broken/memory-provider.ts';
import { json, type MemoryService, startMemoryService } from '../broken/memory-service.ts';
import type { SoakFixture } from './index.ts';
import { twoWriters } from './index.ts';
import { SeededRandom } from './random.ts';

/** The service in memory behind a wire that takes its time, now less and now more, so that two hosts meet. */
function overTheWire(service: MemoryService): SoakFixture {
  const egress = service.egress as Egress;
  const random = new SeededRandom(7);
  const slow: Egress = {
    ...egress,
    http: async (request) => {
      await delay(random.between(1, 30));
      return egress.http(request);
    },
  };
  const arm = (fault: MemoryService['fault']) => () => {
    service.fault = fault;
    return () => {
      service.fault = undefined;
    };
  };
  return {
    fixture: { ...service, egress: slow },
    disturbances: [
      { name: 'lost write', begin: arm({ on: 'write', lost: true }) },
      { name: 'server-error', begin: arm({ on: 'any', refuses: true, answer: () => json(503, { error: 'down' }) }) },
    ],
  };
}

const soak = (seconds: number, broken?: Break) =>
  twoWriters({
    plugin: memoryProvider(broken),
    startFixture: async () => overTheWire(startMemoryService()),
    seconds,
    seed: 4,
  });

test('a provider that is right: nothing is lost, nothing is left', async () => {
  const report = await soak(1);
  expect(report).toMatchObject({ violations: [] });
  expect(report.held).toBeGreaterThan(0);
  expect(report.crashes).toBeGreaterThan(0);
  expect(Object.keys(report.disturbed).length).toBeGreaterThan(0);
});

const presentOf: Parameters<typeof memoryProvider>[0] = () => ({
  nextValues: (_stored, changes) => changes.filter(({ state }) => state === 'present').map(({ value }) => value),
});

test.each<[string, Break, RegExp]>([
  ['puts its own values in place of the set', presentOf, /is lost/],
  [
    'does not notice another writer',
    () => ({ ifMatch: () => '*', readBack: async () => undefined }),
    /is lost|removed is there/,
  ],
  ['gives a set its own TTL', () => ({ nextTtl: () => 60 }), /TTL 60: TTL was 3600 before/],
  ['forgets after a restart what it wrote', forgetful, /removed is there/],
  [
    'prints its token',
    (_right, host) => ({
      refusal: (_answer, what, token) =>
        new ProviderError({ kind: 'unavailable', message: `${host.providerName}: ${what} with ${token} failed` }),
    }),
    /a secret was printed/,
  ],
])(
  'finds a provider that %s',
  async (_title, broken, expected) => {
    const { violations } = await soak(30, broken);
    expect(violations.join('\n')).toMatch(expected);
  },
  60_000,
);

function forgetful(right: Parameters<Break>[0]): ReturnType<Break> {
  const written = new Set<string>();
  return {
    nextValues(stored, changes) {
      for (const { state, value } of changes) if (state === 'present') written.add(value);
      return right.nextValues(
        stored,
        changes.filter(({ state, value }) => state === 'present' || written.has(value)),
      );
    },
  };
}
