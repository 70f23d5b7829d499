import { randomUUID } from 'node:crypto';
import type { RecordTarget } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { BadDay, Fixture } from '@zoneproof/provider-testkit';
import {
  type AkamaiEdgeDnsEmulator,
  type AkamaiEdgeDnsOptions,
  type EdgeGridClient,
  startAkamaiEdgeDns,
} from '@zoneproof/provider-testkit/akamai-edge-dns';

const zone = 'example.test';

/** The emulator of Edge DNS with nested zones, and zones that cannot be written. */
export async function startFastdnsFixture(
  options: AkamaiEdgeDnsOptions = {},
): Promise<Fixture & { readonly emulator: AkamaiEdgeDnsEmulator }> {
  const emulator = await startAkamaiEdgeDns(options);
  emulator.addZone(zone);
  emulator.addZone('deep.example.test');
  emulator.addZone('secondary.example.test', { type: 'SECONDARY' });
  emulator.addZone('alias.example.test', { type: 'ALIAS' });
  emulator.addZone('new.example.test', { state: 'NEW' });
  let hosts = 0;
  let current = zone;

  async function newTarget(): Promise<RecordTarget> {
    // A change list whose creation was not answered is let alone for a minute; the next step need not wait.
    if (emulator.staged(current) !== undefined) {
      current = `example${hosts}.test`;
      emulator.addZone(current);
    }
    return targetOf(`host${++hosts}.${current}`);
  }
  return {
    emulator,
    config: {
      serviceConsumerDomain: 'akab-emulator.luna.akamaiapis.net',
      ...refs,
      endpoint: emulator.origin,
      caBundle: emulator.caBundle,
    },
    secrets: secretsOf(emulator.client),
    wrongSecrets: secretsOf({ ...emulator.client, clientSecret: 'd3Jvbmctc2VjcmV0LW9mLXRoZS1yaWdodC1mb3JtLTE=' }),
    newTarget,
    observe: async (name) => emulator.published(name),
    plant: async (name, value, ttl) => emulator.plant(name, value, ttl),
    zones: [
      { target: targetOf('www.example.test'), zone },
      { target: targetOf('www.deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('deep.example.test'), zone: 'deep.example.test' },
      // On a label boundary; and what cannot be written is no zone.
      { target: targetOf('notdeep.example.test'), zone },
      { target: targetOf('www.secondary.example.test'), zone },
      { target: targetOf('www.new.example.test'), zone },
      { target: targetOf('example.invalid'), zone: undefined },
    ],
    // Not offered: pretendWrites. The API answers 204 without a body, and transactions of its own are taken at their word.
    badDays: badDays(emulator, newTarget),
    async manyZones() {
      const names = Array.from({ length: 1_200 }, (_, at) => `zone${at}.many.test`);
      for (const name of names) emulator.addZone(name);
      return () => {
        for (const name of names) emulator.removeZone(name);
      };
    },
    forbidSync: () => emulator.deny('get-zone'),
    close: () => emulator.close(),
  };
}

export const refs = {
  clientTokenSecretRef: { name: 'akamai', key: 'clientToken' },
  clientSecretSecretRef: { name: 'akamai', key: 'clientSecret' },
  accessTokenSecretRef: { name: 'akamai', key: 'accessToken' },
};

export function secretsOf({ clientToken, clientSecret, accessToken }: EdgeGridClient): Fixture['secrets'] {
  return { akamai: { clientToken, clientSecret, accessToken } };
}

export function targetOf(domain: string): RecordTarget {
  const name = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName: name, name };
}

function badDays(emulator: AkamaiEdgeDnsEmulator, newTarget: () => Promise<RecordTarget>): readonly BadDay[] {
  const armed = (fault: Parameters<AkamaiEdgeDnsEmulator['fail']>[0]) => () => ({ undo: emulator.fail(fault) });
  return [
    {
      name: 'wrong-key',
      arrange: () => ({ secrets: secretsOf({ ...emulator.client, clientSecret: `${randomUUID()}=` }) }),
      ends: 'auth',
      says: /signature does not match.*one API client/,
    },
    {
      name: 'expired-credentials',
      arrange() {
        const client = emulator.addClient('expired');
        emulator.deactivate(client);
        return { secrets: secretsOf(client) };
      },
      ends: 'auth',
      says: /Inactive client token.*make a new credential/,
    },
    {
      name: 'missing-permission',
      arrange: () => ({ undo: emulator.deny('WRITE') }),
      ends: 'permission',
      says: /READ-WRITE/,
    },
    {
      name: 'clock-off',
      arrange() {
        emulator.skewMs = 300_000;
        return {
          undo: () => {
            emulator.skewMs = 0;
          },
        };
      },
      ends: 'auth',
      says: /clock/,
    },
    {
      name: 'zone-absent',
      arrange() {
        emulator.addZone('gone.test');
        const target = targetOf('www.gone.test');
        emulator.removeZone('gone.test');
        return { target };
      },
      ends: 'zone-not-found',
    },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      async arrange() {
        const target = await newTarget();
        return { target, undo: emulator.limitRecordSets(1) };
      },
      ends: 'quota',
      says: /maximum/,
    },
    {
      name: 'half-of-batch-refused',
      async arrange() {
        const target = await newTarget();
        emulator.plantOther(target.name, 'CNAME', 'elsewhere.example.');
        return { target };
      },
      ends: 'invalid',
      says: /CNAME/,
    },
    { name: 'answer-lost', arrange: armed({ kind: 'lose-answer', on: 'write' }), ends: 'unavailable' },
    {
      name: 'throttled',
      arrange: armed({ kind: 'throttled', retryAfterSeconds: 1, on: 'write', times: Number.POSITIVE_INFINITY }),
      ends: 'rate-limited',
    },
    {
      name: 'server-error',
      arrange: armed({ kind: 'server-error', on: 'write', times: Number.POSITIVE_INFINITY }),
      ends: 'unavailable',
    },
    {
      name: 'html-page',
      arrange: armed({ kind: 'html', status: 502, on: 'write', times: Number.POSITIVE_INFINITY }),
      ends: 'unavailable',
    },
    {
      name: 'answer-lacks-fields',
      arrange: armed({
        kind: 'change-answer',
        on: 'write',
        times: Number.POSITIVE_INFINITY,
        change: (answer) => ({ status: answer.status, ...(answer.headers && { headers: answer.headers }) }),
      }),
      ends: 'done',
    },
    {
      name: 'answer-has-more-fields',
      arrange: armed({
        kind: 'change-answer',
        times: Number.POSITIVE_INFINITY,
        change: (answer) =>
          typeof answer.body === 'object' ? { ...answer, body: { added: { later: [1] }, ...answer.body } } : answer,
      }),
      ends: 'done',
    },
    {
      name: 'foreign-writer-in-between',
      async arrange() {
        const between = (await newTarget()).name;
        const run = () => emulator.plant(between, `foreign-${randomUUID()}`, 600);
        return { undo: emulator.fail({ kind: 'before', on: { action: 'post-changelists-zone-submit' }, run }) };
      },
      ends: 'done',
    },
  ];
}
