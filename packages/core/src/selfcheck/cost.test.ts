import { randomBytes } from 'node:crypto';
import { toDnsName } from '@zoneproof/dns';
import { createSelfCheck } from './self-check.ts';
import { createWorld, leaf, signal, type World } from './testing/world.ts';
import { zone } from './testing/zone-data.ts';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.close());

describe('what it costs', () => {
  test('one more name of a known zone: one question to one server, none to a resolver', async () => {
    const servers = Object.values(await world.serveExample());
    await world.check.locate(leaf, signal);
    const before = world.resolver.queries.length;
    for (const server of servers) server.queries.length = 0;
    await world.check.locate(toDnsName('_acme-challenge.other.example.com'), signal);
    expect(servers.flatMap(({ queries }) => queries)).toHaveLength(1);
    expect(world.resolver.queries).toHaveLength(before);
  });

  test('1,000 names at once in one zone cost one walk', async () => {
    const servers = Object.values(await world.serveExample());
    const names = Array.from({ length: 1000 }, (_, i) => toDnsName(`_acme-challenge.h${i}.example.com`));
    await Promise.all(names.map((name) => world.check.locate(name, signal)));
    // NS of example.com, A of ns1 is in the answer's additionals or asked once, AAAA asked once for each server, and
    // the SOA, which tells whether the listed server is authoritative itself.
    expect(world.resolver.queries.length).toBeLessThanOrEqual(6);
    expect(servers.flatMap(({ queries }) => queries)).toHaveLength(1000);
  });

  test('100 names at once behind an unknown zone cut: one finds it, the others follow', async () => {
    const { ns1, ns2, ns2v6 } = await world.serveExample(
      ['sub.example.com', 'NS', 'ns.sub.example.com'],
      ['ns.sub.example.com', 'A', '192.0.2.30'],
    );
    await world.dns.serve(
      '192.0.2.30',
      zone(
        'sub.example.com',
        ['sub.example.com', 'NS', 'ns.sub.example.com'],
        ['ns.sub.example.com', 'A', '192.0.2.30'],
      ),
    );
    const names = Array.from({ length: 100 }, (_, i) => toDnsName(`_acme-challenge.h${i}.sub.example.com`));
    const found = await Promise.all(names.map((name) => world.check.locate(name, signal)));
    expect(new Set(found.map(({ zone }) => zone))).toEqual(new Set(['sub.example.com']));
    expect([ns1, ns2, ns2v6].flatMap(({ queries }) => queries)).toHaveLength(1);
  });

  test('one abort does not spoil the walk for the others', async () => {
    await world.serveExample();
    const stop = new AbortController();
    const first = world.check.locate(leaf, stop.signal);
    const second = world.check.locate(toDnsName('_acme-challenge.b.example.com'), signal);
    await Promise.resolve();
    stop.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(second).resolves.toMatchObject({ zone: 'example.com' });
  });

  test('what is remembered is asked anew after five minutes, and after forget', async () => {
    await world.serveExample();
    const walks = async () => {
      await world.check.locate(leaf, signal);
      return world.resolver.queries.filter(({ type }) => type === 'NS').length;
    };
    expect(await walks()).toBe(1);
    expect(await walks()).toBe(1);
    world.now += 301_000;
    expect(await walks()).toBe(2);
    world.check.forget(leaf);
    expect(await walks()).toBe(3);
  });

  test('servers that have moved are found again, without forget', async () => {
    const { ns1, ns2, ns2v6 } = await world.serveExample();
    await world.check.locate(leaf, signal);
    for (const server of [ns1, ns2, ns2v6]) {
      server.manner = () => ({ rcode: 'REFUSED' });
      server.zones.length = 0;
    }
    await world.dns.serve(
      '192.0.2.60',
      zone('example.com', ['example.com', 'NS', 'ns.example.com'], ['ns.example.com', 'A', '192.0.2.60']),
    );
    await expect(world.check.locate(leaf, signal)).resolves.toMatchObject({ servers: [{ address: '192.0.2.60' }] });
  });

  test('one lame server is enough to look at the delegation again', async () => {
    const { ns1, ns2, ns2v6 } = await world.serveExample();
    const location = await world.check.locate(leaf, signal);
    const walks = () => world.resolver.queries.filter(({ type }) => type === 'NS').length;
    await world.check.look(location, ['v'], signal);
    await world.check.locate(leaf, signal);
    expect(walks()).toBe(1);
    ns2.manner = () => ({ rcode: 'REFUSED', aa: false });
    await world.check.look(location, ['v'], signal);
    await world.check.locate(leaf, signal);
    expect(walks()).toBe(2);
    expect([ns1, ns2v6].flatMap(({ queries }) => queries).some(({ type }) => type === 'TXT')).toBe(true);
  });

  test('the same listed servers in another order, as a host name gives them, are the same set', async () => {
    await world.serveExample();
    await world.dns.resolve('192.0.2.54');
    let listed = ['192.0.2.53', '192.0.2.54'];
    const turning = createSelfCheck({
      resolvers: () => listed.map((address) => ({ address, port: 53 })),
      transport: world.dns.transport,
      clock: { now: () => world.now },
      random: (length) => randomBytes(length),
    });
    const walks = () => world.resolver.queries.filter(({ type }) => type === 'NS').length;
    await turning.locate(leaf, signal);
    expect(walks()).toBe(1);
    listed = listed.reverse();
    await turning.locate(leaf, signal);
    listed = listed.reverse();
    await turning.locate(leaf, signal);
    expect(walks()).toBe(1);
  });

  test('another set of listed servers starts from nothing', async () => {
    await world.serveExample();
    let listed = '192.0.2.53';
    const other = await world.dns.resolve('192.0.2.54');
    const moving = world.checkFrom(() => listed);
    await moving.locate(leaf, signal);
    expect(other.queries).toEqual([]);
    listed = '192.0.2.54';
    await moving.locate(leaf, signal);
    expect(other.queries.some(({ type }) => type === 'NS')).toBe(true);
  });
});
