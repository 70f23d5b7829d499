import type { BadDay, Secrets } from '@zoneproof/provider-testkit';
import type { GoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import { targetOf } from './emulator-fixture.ts';

const minuteMs = 60_000;

/** The bad days that Cloud DNS can have. */
export function badDays(emulator: GoogleCloudDns, wrongSecrets: Secrets, config: object): readonly BadDay[] {
  const addZones = (...specs: Parameters<GoogleCloudDns['addZone']>[0][]) => {
    const remove = specs.map((spec) => emulator.addZone(spec));
    return () => {
      for (const one of remove) one();
    };
  };
  return [
    { name: 'wrong-key', arrange: () => ({ secrets: wrongSecrets }), ends: 'auth', says: /Invalid JWT Signature/ },
    {
      name: 'expired-credentials',
      arrange: () => ({ undo: emulator.deleteKey(emulator.serviceAccount) }),
      ends: 'auth',
      says: /key has been deleted/,
    },
    {
      name: 'missing-permission',
      arrange: () => withoutPermission('dns.changes.create'),
      ends: 'permission',
      says: /dns\.changes\.create/,
    },
    {
      name: 'missing-permission',
      arrange: () => withoutPermission('dns.resourceRecordSets.list'),
      ends: 'permission',
      says: /dns\.resourceRecordSets\.list/,
    },
    {
      name: 'missing-permission',
      arrange: () => set(emulator, 'enabled', false),
      ends: 'permission',
      says: /API is not enabled/,
    },
    {
      name: 'clock-off',
      arrange: () => set(emulator, 'skewMs', -20 * minuteMs),
      ends: 'auth',
      says: /clock of this machine is off.* 20 min ahead of/,
    },
    {
      name: 'clock-off',
      arrange: () => set(emulator, 'skewMs', 90 * minuteMs),
      ends: 'auth',
      says: /clock of this machine is off.* 90 min behind/,
    },
    { name: 'zone-absent', arrange: () => ({ target: targetOf('www.absent.test') }), ends: 'zone-not-found' },
    {
      name: 'zone-absent',
      arrange() {
        emulator.permissions.add('dns.managedZones.get');
        const undo = () => void emulator.permissions.delete('dns.managedZones.get');
        return { config: { ...config, managedZone: 'no-such-zone' }, undo };
      },
      ends: 'zone-not-found',
      says: /no-such-zone/,
    },
    {
      name: 'zone-twice-public',
      arrange() {
        const undo = addZones({ dnsName: 'twice.test', name: 'twice-a' }, { dnsName: 'twice.test', name: 'twice-b' });
        return { target: targetOf('www.twice.test'), undo };
      },
      ends: 'zone-not-found',
      says: /twice-a.*twice-b/,
    },
    {
      name: 'zone-public-and-private',
      arrange() {
        const undo = addZones('both.test', { dnsName: 'both.test', name: 'both-private', kind: 'private' });
        return { target: targetOf('www.both.test'), undo };
      },
      ends: 'done',
    },
    { name: 'zone-only-as-parent', arrange: () => ({ target: targetOf('a.b.c.example.test') }), ends: 'done' },
    { name: 'thousand-changes', arrange: () => ({}), ends: 'done' },
    {
      name: 'quota-reached',
      arrange: () => set(emulator.limits, 'setsPerZone', 3),
      ends: 'quota',
      says: /quota for rrsets/,
    },
    {
      name: 'half-of-batch-refused',
      arrange() {
        const target = targetOf('alias.example.test');
        emulator.putSet({ name: `${target.name}.`, type: 'CNAME', ttl: 300, rrdatas: ['elsewhere.test.'] });
        return { target };
      },
      ends: 'invalid',
      says: /CNAME/,
    },
    { name: 'answer-lost', arrange: () => fault({ kind: 'lose-answer', on: 'write' }), ends: 'unavailable' },
    {
      name: 'throttled',
      arrange: () => fault({ kind: 'throttled', retryAfterSeconds: 7, on: 'write' }),
      ends: 'rate-limited',
    },
    { name: 'server-error', arrange: () => fault({ kind: 'server-error', on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: () => fault({ kind: 'html', status: 502, on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: () => fault({ kind: 'html', status: 200, on: 'write' }), ends: 'unavailable' },
    { name: 'html-page', arrange: () => fault({ kind: 'html', status: 404, on: 'read' }), ends: 'unavailable' },
    { name: 'answer-lacks-fields', arrange: () => changed((_key, value) => value, lacking), ends: 'done' },
    { name: 'answer-has-more-fields', arrange: () => changed(withMore), ends: 'done' },
    {
      name: 'foreign-writer-in-between',
      arrange() {
        const target = targetOf('busy.example.test');
        const run = () => emulator.plant(target.name, `foreign ${emulator.seen.length}`, 300);
        return { target, undo: emulator.fail({ kind: 'before', on: 'write', times: 2, run }) };
      },
      ends: 'done',
    },
  ];

  function withoutPermission(permission: string) {
    emulator.permissions.delete(permission);
    return { undo: () => void emulator.permissions.add(permission) };
  }

  function set<Of extends object, Key extends keyof Of>(of: Of, key: Key, value: Of[Key]) {
    const before = of[key];
    of[key] = value;
    return {
      undo() {
        of[key] = before;
      },
    };
  }

  function fault(armed: Parameters<GoogleCloudDns['fail']>[0]) {
    return { undo: emulator.fail(armed) };
  }

  function changed(replace: (key: string, value: unknown) => unknown, without: readonly string[] = []) {
    return fault({
      kind: 'change-answer',
      times: Number.POSITIVE_INFINITY,
      change: (answer) => ({
        ...answer,
        body: JSON.parse(JSON.stringify(answer.body), (key, value: unknown) =>
          without.includes(key) ? undefined : replace(key, value),
        ) as object,
      }),
    });
  }
}

/** Fields that the provider does without. */
const lacking = [
  ...['kind', 'id', 'visibility', 'description', 'nameServers', 'creationTime', 'expires_in', 'token_type'],
  ...['startTime', 'isServing', 'additions', 'deletions', 'signatureRrdatas', 'domain', 'location'],
];

function withMore(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return { ...value, newField: { more: [1, null, 'text'] } };
}
