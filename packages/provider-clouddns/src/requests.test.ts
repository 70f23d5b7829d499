import net from 'node:net';
import { jest } from '@jest/globals';
import {
  bindProvider,
  createEgress,
  createProviderCalls,
  createRecordWriter,
  MemoryLedger,
  type ProviderHost,
  type ProviderPlugin,
  SecretValue,
  systemClock,
  systemRandom,
  systemTimers,
} from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { clouddns } from './plugin.ts';
import { wanted } from './testing/bench-host.ts';
import { Emulated, zone } from './testing/emulated.ts';

const cloud = new Emulated();

describe('requests', () => {
  test('a value of our own is written and removed by one change each', async () => {
    const domain = cloud.newDomain();
    expect(await cloud.actions(() => cloud.apply(wanted('present', domain, 'a')))).toEqual([
      'oauth2.token',
      'dns.changes.create',
    ]);
    expect(await cloud.actions(() => cloud.apply(wanted('present', domain, 'b', ['a'])))).toEqual([
      'dns.changes.create',
    ]);
    expect(cloud.published(domain)).toMatchObject({ values: ['a', 'b'], ttl: 60 });
    expect(await cloud.actions(() => cloud.apply(wanted('absent', domain, 'a', ['b'])))).toEqual([
      'dns.changes.create',
    ]);
    expect(await cloud.actions(() => cloud.apply(wanted('absent', domain, 'b')))).toEqual(['dns.changes.create']);
    expect(cloud.published(domain).values).toEqual([]);
    expect(cloud.bench.permits).toEqual(['token', 'api', 'api', 'api', 'api']);
  });

  test('one 503 is one request, and the package opens no connection of its own', async () => {
    await cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    const connect = jest.spyOn(net.Socket.prototype, 'connect');
    const undo = cloud.emulator.fail({ kind: 'server-error', times: Number.POSITIVE_INFINITY });
    const outcome = cloud.apply(wanted('present', cloud.newDomain(), 'a'));
    expect(await cloud.actions(() => outcome)).toEqual(['dns.changes.create']);
    await expect(outcome).rejects.toMatchObject({ kind: 'unavailable', details: { httpStatus: 503 } });
    undo();
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
  });

  test('a refused change of one or two names reads by name, of more the zone in pages', async () => {
    const domains = Array.from({ length: 3 }, () => cloud.newDomain());
    for (const domain of domains) cloud.plant(domain, 'foreign');
    const [one = '', ...two] = domains;
    const changes = (names: readonly string[], value: string) =>
      names.map((domain) => wanted('present', domain, value));
    await cloud.apply(wanted('present', cloud.newDomain(), 'x'));
    expect(await cloud.actions(() => cloud.apply(...changes([one], 'a')))).toEqual(corrected(1));
    expect(await cloud.actions(() => cloud.apply(...changes(two, 'a')))).toEqual(corrected(2));
    expect(await cloud.actions(() => cloud.apply(...changes(domains, 'b')))).toEqual(corrected(1));
    expect(cloud.published(one)).toMatchObject({ values: ['a', 'b', 'foreign'], ttl: 300 });
  });

  const corrected = (reads: number) => [
    'dns.changes.create',
    ...Array.from({ length: reads }, () => 'dns.resourceRecordSets.list'),
    'dns.changes.create',
  ];

  test('of a large zone no more pages are read than names are looked for; the rest is read by name', async () => {
    const remove = cloud.emulator.addZone('large.test');
    const large = { id: 'large-test', name: toDnsName('large.test') };
    for (let i = 0; i < 7_000; i++)
      cloud.emulator.putSet({ name: `${10_000 + i}.large.test.`, type: 'A', ttl: 60, rrdatas: ['192.0.2.1'] });
    const domains = ['a.large.test', 'b.large.test', 'c.large.test'];
    for (const domain of domains) cloud.plant(domain, 'foreign');
    const changes = domains.map((domain) => wanted('present', domain, 'a'));
    const seen = await cloud.actions(() => cloud.bench.provider.apply(large, changes, cloud.bench.call()));
    expect(seen).toEqual(['oauth2.token', ...corrected(6)]);
    for (const domain of domains) expect(cloud.published(domain).values).toEqual(['a', 'foreign']);
    remove();
  });

  test('1,000 challenges in one zone: at most 12 requests for all of them to come and go', async () => {
    const before = cloud.emulator.seen.length;
    const egress = createEgress();
    const calls = createProviderCalls(systemClock, systemTimers);
    const secret: ProviderHost['secret'] = ({ name, key }) => ({
      get: async () => new SecretValue(Buffer.from(cloud.secrets[name]?.[key] ?? '')),
    });
    const block = { issuer: 'Issuer/default/i', name: 'bench', key: 'clouddns', config: cloud.fixture.config };
    const host = { egress, dns: egress.dns, clock: systemClock, random: systemRandom, secret, warn: () => undefined };
    const bound = bindProvider(clouddns as ProviderPlugin, block, host);
    const writer = createRecordWriter({ ledger: new MemoryLedger(), clock: systemClock, random: systemRandom, calls });
    const signal = AbortSignal.timeout(10_000);
    await calls.run(bound, 'listing zones', { operation: 'listZones', signal }, async (call) =>
      bound.provider.listZones?.(call),
    );
    const names = Array.from({ length: 1_000 }, (_, i) => toDnsName(`_acme-challenge.c${i}.example.test`));
    const all = async (state: 'present' | 'absent') => {
      const outcomes = await Promise.all(
        names.map((name, i) => {
          const records = [{ name, value: String(i).padStart(43, 'v') }];
          return writer.write({ owner: `default/o${i}`, provider: bound, zone, state, records, signal });
        }),
      );
      expect(new Set(outcomes.flat().map(({ status }) => status))).toEqual(new Set(['done']));
    };
    await all('present');
    expect(names.every((name) => cloud.emulator.published(name).values.length === 1)).toBe(true);
    await all('absent');
    expect(names.every((name) => cloud.emulator.published(name).values.length === 0)).toBe(true);
    const seen = cloud.emulator.seen.slice(before).map(({ action }) => action);
    expect(count(seen)).toEqual({ 'oauth2.token': 1, 'dns.managedZones.list': 1, 'dns.changes.create': 4 });
    await writer.close();
    await egress.close();
  });

  function count(seen: readonly string[]): Record<string, number> {
    return Object.fromEntries([...new Set(seen)].map((one) => [one, seen.filter((other) => other === one).length]));
  }
});
