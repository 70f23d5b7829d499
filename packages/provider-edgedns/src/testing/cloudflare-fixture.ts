import type { RecordTarget } from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { BadDay, Fixture } from '@zoneproof/provider-testkit';
import {
  type CloudflareEmulator,
  type CloudflareOptions,
  type CloudflarePermission,
  startCloudflare,
} from '@zoneproof/provider-testkit/cloudflare';
import type { EdgednsConfig } from '../config.ts';

export interface CloudflareFixture extends Fixture {
  readonly config: EdgednsConfig;
  readonly cloudflare: CloudflareEmulator;
}

/** The emulator with zones example.test and deep.example.test, seen with an API token or with a Global API Key. */
export async function startCloudflareFixture(
  login: 'token' | 'key' = 'token',
  options: CloudflareOptions = {},
): Promise<CloudflareFixture> {
  const cloudflare = await startCloudflare({ zones: ['example.test', 'deep.example.test'], ...options });
  const { endpoint, caBundle, email, apiKey, apiToken } = cloudflare;
  const where = { endpoint, caBundle };
  const ofToken = { ...where, apiTokenSecretRef: { name: 'cloudflare', key: 'token' } };
  const ofKey = { ...where, email, apiKeySecretRef: { name: 'cloudflare', key: 'key' } };
  const wrongToken = `${apiToken.slice(0, -4)}${apiToken.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  const wrongKey = `${apiKey.slice(0, -4)}${apiKey.endsWith('0000') ? '1111' : '0000'}`;
  const wrongSecrets = { cloudflare: { token: wrongToken, key: wrongKey } };
  let targets = 0;
  let stopPretending: (() => void) | undefined;
  return {
    cloudflare,
    config: login === 'token' ? ofToken : ofKey,
    secrets: { cloudflare: { token: apiToken, key: apiKey } },
    wrongSecrets,
    newTarget: async () => targetOf(`host${++targets}.example.test`),
    observe: async (name) => cloudflare.published(name),
    plant: async (name, value, ttl) => cloudflare.plant(name, value, ttl),
    zones: [
      { target: targetOf('www.example.test'), zone: 'example.test' },
      { target: targetOf('deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('a.deep.example.test'), zone: 'deep.example.test' },
      { target: targetOf('adeep.example.test'), zone: 'example.test' },
      { target: targetOf('notexample.test'), zone: undefined },
    ],
    pretendWrites(on) {
      stopPretending?.();
      stopPretending = on
        ? cloudflare.fail({ kind: 'pretend', on: 'write', times: Number.POSITIVE_INFINITY })
        : undefined;
    },
    async manyZones() {
      const ids = Array.from({ length: 120 }, (_, at) => cloudflare.addZone({ name: `zone${at}.test` }));
      return () => {
        for (const id of ids) cloudflare.removeZone(id);
      };
    },
    badDays: [...daysOfAll(cloudflare, wrongSecrets), ...(login === 'token' ? daysOfTokens(cloudflare) : [])],
    close: () => cloudflare.close(),
  };
}

export function targetOf(domain: string): RecordTarget {
  const name = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName: name, name };
}

/** A Global API Key neither ends by itself nor lacks a permission. */
function daysOfTokens(cloudflare: CloudflareEmulator): readonly BadDay[] {
  const without = (permission: CloudflarePermission) => () => {
    cloudflare.permissions.delete(permission);
    return { undo: () => void cloudflare.permissions.add(permission) };
  };
  return [
    { name: 'expired-credentials', arrange: () => ({ undo: cloudflare.expireToken() }), ends: 'auth', says: /Secret/ },
    { name: 'missing-permission', arrange: without('Zone:DNS:Edit'), ends: 'permission', says: /Zone:DNS:Edit/ },
    { name: 'missing-permission', arrange: without('Zone:Zone:Read'), ends: 'permission', says: /Zone:Zone:Read/ },
  ];
}

function daysOfAll(cloudflare: CloudflareEmulator, wrongSecrets: Fixture['secrets']): readonly BadDay[] {
  let taken = 0;
  const withZone =
    (zone: Parameters<CloudflareEmulator['addZone']>[0], domain?: string): BadDay['arrange'] =>
    () => {
      const id = cloudflare.addZone(zone);
      return { ...(domain !== undefined && { target: targetOf(domain) }), undo: () => cloudflare.removeZone(id) };
    };
  const failing =
    (fault: Parameters<CloudflareEmulator['fail']>[0]): BadDay['arrange'] =>
    () => ({ undo: cloudflare.fail(fault) });
  const always = { times: Number.POSITIVE_INFINITY } as const;
  return [
    { name: 'wrong-key', arrange: () => ({ secrets: wrongSecrets }), ends: 'auth', says: /Secret/ },
    { name: 'zone-absent', arrange: () => ({ target: targetOf('nowhere.invalid') }), ends: 'zone-not-found' },
    {
      // Two accounts may hold a zone of one name, and one of the two is active.
      name: 'zone-twice-public',
      arrange: withZone({ name: 'example.test', status: 'pending' }),
      ends: 'done',
    },
    { name: 'zone-public-and-private', arrange: withZone({ name: 'example.test', type: 'internal' }), ends: 'done' },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      arrange: withZone({ name: 'full.example.test', maxRecords: 0 }, 'full.example.test'),
      ends: 'quota',
      says: /plan/,
    },
    {
      name: 'half-of-batch-refused',
      arrange() {
        const target = targetOf(`taken${++taken}.example.test`);
        cloudflare.plantCname(target.name, toDnsName('elsewhere.example.net'));
        return { target };
      },
      ends: 'invalid',
      says: /CNAME/,
    },
    { name: 'answer-lost', arrange: failing({ kind: 'lose-answer', on: 'write' }), ends: 'unavailable' },
    {
      name: 'throttled',
      arrange: failing({ kind: 'throttled', retryAfterSeconds: 7, on: 'write' }),
      ends: 'rate-limited',
    },
    { name: 'server-error', arrange: failing({ kind: 'server-error', on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: failing({ kind: 'html', status: 502, on: 'write' }), ends: 'unavailable' },
    {
      name: 'answer-lacks-fields',
      arrange: failing({
        kind: 'change-answer',
        on: 'write',
        change: (answer) => ({ ...answer, body: { success: true } }),
        ...always,
      }),
      ends: 'unavailable',
    },
    {
      name: 'answer-has-more-fields',
      arrange: failing({
        kind: 'change-answer',
        change: (answer) => ({ ...answer, body: { extra: { deep: [1] }, ...(answer.body as object), more: null } }),
        ...always,
      }),
      ends: 'done',
    },
    {
      // Nothing is read before the first write: what another writer can do in between is to add the very same value.
      name: 'foreign-writer-in-between',
      arrange: failing({
        kind: 'before',
        on: 'write',
        run({ body }) {
          const { posts } = JSON.parse(body.toString()) as { readonly posts: readonly Planted[] };
          for (const { name, content } of posts) cloudflare.plantContent(name, content, 300);
        },
      }),
      ends: 'done',
    },
  ];
}

interface Planted {
  readonly name: DnsName;
  readonly content: string;
}
