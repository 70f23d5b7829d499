import type { RecordTarget } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { BadDay, Fixture } from '@zoneproof/provider-testkit';
import { startExampleDns } from './service.ts';

/** The service with two zones and a token, and what the conformance suite needs to know of it. */
export async function startFixture(): Promise<Fixture> {
  const service = await startExampleDns();
  const { zones, tokens, rrsets } = service;
  zones.set('z1', 'example.test').set('z2', 'sub.example.test');
  tokens.set('token-of-tests', ['zones:read', 'txt:write']);
  tokens.set('token-of-yesterday', ['expired']).set('token-to-look', ['zones:read']);
  let count = 0;

  const token = (text: string) => ({ exampledns: { token: text } });
  const badDays: readonly BadDay[] = [
    { name: 'wrong-key', arrange: () => ({ secrets: token('no-such-token') }), ends: 'auth', says: /bad_token/ },
    { name: 'expired-credentials', arrange: () => ({ secrets: token('token-of-yesterday') }), ends: 'auth' },
    { name: 'missing-permission', arrange: () => ({ secrets: token('token-to-look') }), ends: 'permission' },
    { name: 'zone-absent', arrange: () => ({ target: targetOf('www.elsewhere.test') }), ends: 'zone-not-found' },
    {
      name: 'zone-twice-public',
      arrange: () => {
        zones.set('z3', 'example.test');
        return { undo: () => void zones.delete('z3') };
      },
      ends: 'zone-not-found',
    },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      arrange: () => {
        service.maxValues = 0;
        return {
          undo: () => {
            service.maxValues = 10_000;
          },
        };
      },
      ends: 'quota',
    },
    { name: 'answer-lost', arrange: () => fault({ kind: 'lose-answer', on: 'write' }), ends: 'unavailable' },
    { name: 'throttled', arrange: () => fault({ kind: 'throttled', retryAfterSeconds: 7 }), ends: 'rate-limited' },
    { name: 'server-error', arrange: () => fault({ kind: 'server-error' }), ends: 'unavailable' },
    { name: 'html-page', arrange: () => fault({ kind: 'html', status: 502 }), ends: 'unavailable' },
    { name: 'answer-lacks-fields', arrange: () => answers({}), ends: 'unavailable' },
  ];

  function fault(one: Parameters<typeof service.fail>[0]) {
    return { undo: service.fail({ on: 'write', times: Number.POSITIVE_INFINITY, ...one }) };
  }

  function answers(body: object) {
    return fault({ kind: 'change-answer', change: ({ status }) => ({ status, body }) });
  }

  return {
    config: {
      tokenSecretRef: { name: 'exampledns', key: 'token' },
      endpoint: service.origin,
      caBundle: service.caBundle,
    },
    secrets: token('token-of-tests'),
    wrongSecrets: token('no-such-token'),
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
    badDays,
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

let stop = (): void => undefined;

function targetOf(domain: string): RecordTarget {
  const challengeName = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName, name: challengeName };
}
