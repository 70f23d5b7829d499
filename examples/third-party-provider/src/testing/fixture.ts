import type { Fixture } from '@zoneproof/provider-testkit';
import { badDaysOf } from './bad-days.ts';
import { startExampleDns } from './service.ts';
import { targetOf } from './target.ts';

/** The service with two zones and a token, and what the conformance suite needs to know of it. */
export async function startFixture(): Promise<Fixture> {
  const service = await startExampleDns();
  const { zones, tokens, rrsets } = service;
  zones.set('z1', 'example.test').set('z2', 'sub.example.test');
  tokens.set('token-of-tests', ['zones:read', 'txt:write']);
  let count = 0;
  let stop = (): void => undefined;
  return {
    config: {
      tokenSecretRef: { name: 'exampledns', key: 'token' },
      endpoint: service.origin,
      caBundle: service.caBundle,
    },
    secrets: { exampledns: { token: 'token-of-tests' } },
    wrongSecrets: { exampledns: { token: 'token-of-nobody' } },
    newTarget: async () => targetOf(`host${++count}.example.test`),
    observe: async (name) => rrsets.get(name) ?? { values: [] },
    async plant(name, value, ttl) {
      const before = rrsets.get(name) ?? { ttl, values: [] };
      rrsets.set(name, { ttl: before.ttl, values: [...before.values, value] });
    },
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('www.sub.example.test'), zone: 'sub.example.test' },
      { target: targetOf('badexample.test'), zone: undefined },
    ],
    badDays: badDaysOf(service),
    async manyZones() {
      const ids = Array.from({ length: 120 }, (_, i) => `many${i}`);
      for (const id of ids) zones.set(id, `${id}.test`);
      return () => {
        for (const id of ids) zones.delete(id);
      };
    },
    pretendWrites(on) {
      stop();
      if (on) stop = service.fail({ kind: 'pretend', on: 'write', times: Number.POSITIVE_INFINITY });
    },
    close: () => service.close(),
  };
}
