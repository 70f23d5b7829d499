import { randomBytes } from 'node:crypto';
import { toDnsName } from '@zoneproof/dns';
import { createSelfCheck } from './self-check.ts';
import { createWorld, exampleLines, hasty, leaf, problemOf, put, signal, value, type World } from './testing/world.ts';
import { type RecordLine, zone } from './testing/zone-data.ts';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.close());

describe('where the value belongs', () => {
  test('every address, IPv4 and IPv6, of every name server of the zone', async () => {
    await world.serveExample();
    await expect(world.check.locate(leaf, signal)).resolves.toEqual({
      name: leaf,
      chain: [leaf],
      target: leaf,
      zone: 'example.com',
      servers: [
        { name: 'ns1.example.com', address: '192.0.2.1' },
        { name: 'ns2.example.com', address: '192.0.2.2' },
        { name: 'ns2.example.com', address: '2001:db8::2' },
      ],
      unresolved: [],
    });
  });

  test('authoritative servers are asked with RD=0, the listed ones with RD=1', async () => {
    const { ns1, ns2, ns2v6 } = await world.serveExample();
    await world.check.look(await world.check.locate(leaf, signal), [value], signal);
    expect([ns1, ns2, ns2v6].flatMap(({ queries }) => queries).some(({ rd }) => rd)).toBe(false);
    expect(world.resolver.queries.every(({ rd }) => rd)).toBe(true);
  });

  test('a listed server that is itself authoritative, and no resolver, is enough', async () => {
    const { ns1 } = await world.serveExample();
    const own = world.checkFrom('192.0.2.1');
    await expect(own.locate(leaf, signal)).resolves.toMatchObject({ zone: 'example.com' });
    expect(ns1.queries.filter(({ name, rd }) => name === leaf && rd)).toEqual([]);
  });

  test('a listed server that knows only a deeper zone: the walk goes on below what it refuses', async () => {
    await world.dns.serve(
      '192.0.2.9',
      zone(
        'lab.example.com',
        ['lab.example.com', 'NS', 'ns.lab.example.com'],
        ['ns.lab.example.com', 'A', '192.0.2.9'],
      ),
    );
    world.resolver.manner = ({ name }, usual) => (name === 'example.com' ? { rcode: 'REFUSED' } : usual);
    await expect(world.check.locate(toDnsName('_acme-challenge.lab.example.com'), signal)).resolves.toMatchObject({
      zone: 'lab.example.com',
      servers: [{ address: '192.0.2.9' }],
    });
  });

  test('an alias into another zone is followed; there only TXT is asked', async () => {
    await world.serveExample(['_acme-challenge.www.example.com', 'CNAME', 'uuid.auth.example.net']);
    await world.dns.serve(
      '192.0.2.20',
      zone(
        'example.net',
        ['example.net', 'NS', 'ns.example.net'],
        ['ns.example.net', 'A', '192.0.2.20'],
        ['auth.example.net', 'NS', 'auth.example.net'],
        ['auth.example.net', 'A', '192.0.2.21'],
      ),
    );
    const acmedns = await world.dns.serve(
      '192.0.2.21',
      zone(
        'auth.example.net',
        ['auth.example.net', 'NS', 'auth.example.net'],
        ['auth.example.net', 'A', '192.0.2.21'],
        ['uuid.auth.example.net', 'TXT', 'older'],
        ['uuid.auth.example.net', 'TXT', value],
      ),
    );
    acmedns.manner = ({ name, type }, usual) =>
      name.startsWith('uuid.') && type !== 'TXT' ? { ...usual, rcode: 'NXDOMAIN', answers: [] } : usual;
    const location = await world.check.locate(leaf, signal);
    expect(location).toMatchObject({
      chain: [leaf, 'uuid.auth.example.net'],
      target: 'uuid.auth.example.net',
      zone: 'auth.example.net',
      servers: [{ name: 'auth.example.net', address: '192.0.2.21' }],
    });
    await expect(world.check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
    const atLeaf = acmedns.queries.filter(({ name }) => name.startsWith('uuid.'));
    expect(new Set(atLeaf.map(({ type }) => type))).toEqual(new Set(['TXT']));
  });

  test('NXDOMAIN with a chain in one answer is the last name of the chain that is missing, not the first', async () => {
    await world.serveExample(
      ['_acme-challenge.www.example.com', 'CNAME', 'a.dcv.example.com'],
      ['a.dcv.example.com', 'CNAME', 'b.dcv.example.com'],
    );
    await expect(world.check.locate(leaf, signal)).resolves.toMatchObject({
      chain: [leaf, 'a.dcv.example.com', 'b.dcv.example.com'],
      zone: 'example.com',
    });
  });

  test('an alias that a wildcard makes is not followed: our value will hide it', async () => {
    const { ns1, ns2, ns2v6 } = await world.serveExample(['*.example.com', 'CNAME', 'lb.cdn.example']);
    const hidden = toDnsName('_acme-challenge.shop.example.com');
    const location = await world.check.locate(hidden, signal);
    expect(location).toMatchObject({ chain: [hidden], target: hidden, zone: 'example.com' });
    await expect(world.check.look(location, [value], signal)).resolves.toMatchObject({
      verdict: 'missing',
      summary: expect.stringContaining('it has a CNAME to lb.cdn.example there'),
    });
    for (const server of [ns1, ns2, ns2v6]) put(server, ['_acme-challenge.shop.example.com', 'TXT', value]);
    await expect(world.check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
  });

  test('a delegation beside a wildcard with another target is followed', async () => {
    await world.serveExample(
      ['*.example.com', 'CNAME', 'lb.cdn.example'],
      ['_acme-challenge.shop.example.com', 'CNAME', 'here.example.com'],
      ['here.example.com', 'A', '192.0.2.3'],
    );
    await expect(world.check.locate(toDnsName('_acme-challenge.shop.example.com'), signal)).resolves.toMatchObject({
      target: 'here.example.com',
    });
  });

  test('an alias that leads back is a loop, named from end to end', async () => {
    await world.serveExample(
      ['_acme-challenge.www.example.com', 'CNAME', 'a.example.com'],
      ['a.example.com', 'CNAME', '_acme-challenge.www.example.com'],
    );
    const problem = await problemOf(world.check.locate(leaf, signal));
    expect(problem).toMatchObject({ name: 'LocateError', kind: 'cname-loop' });
    expect(problem.message).toContain(`${leaf} -> a.example.com -> ${leaf} leads back to itself`);
  });

  test('more than ten aliases are refused', async () => {
    const chain = Array.from(
      { length: 12 },
      (_, i): RecordLine => [`c${i}.example.com`, 'CNAME', `c${i + 1}.example.com`],
    );
    await world.serveExample(['_acme-challenge.www.example.com', 'CNAME', 'c0.example.com'], ...chain);
    const problem = await problemOf(world.check.locate(leaf, signal));
    expect(problem).toMatchObject({ kind: 'cname-loop', message: expect.stringContaining('longer than 10 aliases') });
  });

  test('an alias into a domain that does not exist dangles; the message names both ends', async () => {
    await world.serveExample(['_acme-challenge.www.example.com', 'CNAME', 'uuid.auth.exmaple.net']);
    world.resolver.manner = ({ name }, usual) =>
      name.endsWith('exmaple.net') ? { ...usual, rcode: 'NXDOMAIN' } : usual;
    const problem = await problemOf(world.check.locate(leaf, signal));
    expect(problem.kind).toBe('cname-dangling');
    expect(problem.message).toContain(`${leaf} is a CNAME to uuid.auth.exmaple.net`);
    expect(problem.message).toContain(`correct the CNAME of ${leaf}`);
  });

  test('a delegated child: its own servers, those its parent names and those it names itself', async () => {
    await world.serveExample(
      ['sub.example.com', 'NS', 'ns.sub.example.com'],
      ['ns.sub.example.com', 'A', '192.0.2.30'],
    );
    const lines: RecordLine[] = [
      ['sub.example.com', 'NS', 'ns.sub.example.com'],
      ['sub.example.com', 'NS', 'new.sub.example.com'],
      ['ns.sub.example.com', 'A', '192.0.2.30'],
      ['new.sub.example.com', 'A', '192.0.2.31'],
    ];
    await world.dns.serve('192.0.2.30', zone('sub.example.com', ...lines));
    await world.dns.serve('192.0.2.31', zone('sub.example.com', ...lines));
    const location = await world.check.locate(toDnsName('_acme-challenge.a.sub.example.com'), signal);
    expect(location.zone).toBe('sub.example.com');
    expect(location.servers.map(({ address }) => address).sort()).toEqual(['192.0.2.30', '192.0.2.31']);
  });

  test.each([
    ['before there is a value', []],
    ['when there is one', [['_acme-challenge.a.sub.example.com', 'TXT', 'foreign'] as RecordLine]],
  ])('a child on the servers of its parent is found by its SOA and its own NS set, %s', async (_title, more) => {
    const child = () =>
      zone(
        'sub.example.com',
        ['sub.example.com', 'NS', 'ns1.example.com'],
        ['sub.example.com', 'NS', 'other.example.com'],
        ...more,
      );
    const parent = () => zone('example.com', ...exampleLines, ['other.example.com', 'A', '192.0.2.40']);
    await world.dns.serve('192.0.2.1', parent(), child());
    await world.dns.serve('192.0.2.2', parent(), child());
    await world.dns.serve('2001:db8::2', parent(), child());
    const location = await world.check.locate(toDnsName('_acme-challenge.a.sub.example.com'), signal);
    expect(location.zone).toBe('sub.example.com');
    expect(location.servers.map(({ address }) => address).sort()).toEqual(['192.0.2.1', '192.0.2.40']);
  });

  test('an empty non-terminal and a wildcard TXT lead to the zone all the same', async () => {
    await world.serveExample(
      ['deep._acme-challenge.www.example.com', 'A', '192.0.2.3'],
      ['*.example.com', 'TXT', 'anything'],
    );
    await expect(world.check.locate(leaf, signal)).resolves.toMatchObject({ zone: 'example.com' });
    const synthesised = toDnsName('_acme-challenge.nowhere.example.com');
    await expect(world.check.locate(synthesised, signal)).resolves.toMatchObject({
      zone: 'example.com',
      target: synthesised,
    });
  });

  test('a zone below a public suffix that is a zone of its own', async () => {
    await world.dns.serve(
      '192.0.2.50',
      zone(
        'co.uk',
        ['co.uk', 'NS', 'ns.co.uk'],
        ['ns.co.uk', 'A', '192.0.2.50'],
        ['example.co.uk', 'NS', 'ns.example.co.uk'],
        ['ns.example.co.uk', 'A', '192.0.2.51'],
      ),
    );
    await world.dns.serve(
      '192.0.2.51',
      zone('example.co.uk', ['example.co.uk', 'NS', 'ns.example.co.uk'], ['ns.example.co.uk', 'A', '192.0.2.51']),
    );
    await expect(world.check.locate(toDnsName('_acme-challenge.example.co.uk'), signal)).resolves.toMatchObject({
      zone: 'example.co.uk',
    });
  });

  test('a dead server costs the hedge, not its time-outs, and the next name does not begin with it', async () => {
    const { ns1 } = await world.serveExample();
    world.check = world.checkFrom('192.0.2.53', { tryTimeoutMs: 5000, hedgeMs: 100 });
    ns1.manner = () => 'silent';
    for (const host of ['a', 'b', 'c', 'd', 'e', 'f'])
      await world.check.locate(toDnsName(`_acme-challenge.${host}.example.com`), signal);
    expect(ns1.queries).toHaveLength(1);
  });

  test('servers that all refuse: the message names each, its answer and what to do', async () => {
    for (const server of Object.values(await world.serveExample())) server.manner = () => ({ rcode: 'REFUSED' });
    const problem = await problemOf(world.check.locate(leaf, signal));
    expect(problem.kind).toBe('unreachable');
    expect(problem.message).toContain('ns1.example.com 192.0.2.1: it answers REFUSED');
    expect(problem.message).toContain('ns2.example.com 2001:db8::2: it answers REFUSED');
    expect(problem.message).toContain('correct the NS records of example.com at its parent');
  });

  test('the message stays the same, whoever is asked first', async () => {
    for (const server of Object.values(await world.serveExample())) server.manner = () => ({ rcode: 'REFUSED' });
    const names = ['a', 'b', 'c'].map((label) => toDnsName(`_acme-challenge.${label}.example.com`));
    const problems = await Promise.all(names.map((name) => problemOf(world.check.locate(name, signal))));
    const messages = new Set(problems.map(({ message }, i) => message.replace(names[i] as string, 'NAME')));
    expect([...messages]).toEqual([expect.stringMatching(/ns1\.example\.com 192\.0\.2\.1.*ns2\.example\.com/)]);
  });

  test('listed servers that are silent, listed servers that do not exist, and none at all', async () => {
    world.resolver.manner = () => 'silent';
    world.check = world.checkFrom('192.0.2.53', hasty);
    const silent = await problemOf(world.check.locate(leaf, signal));
    expect(silent).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('192.0.2.53:53') });
    const options = {
      transport: world.dns.transport,
      clock: { now: () => world.now },
      random: (n: number) => randomBytes(n),
    };
    const none = await problemOf(createSelfCheck({ ...options, resolvers: () => [] }).locate(leaf, signal));
    expect(none).toMatchObject({
      kind: 'no-resolver',
      message: expect.stringContaining('--dns01-self-check-nameservers'),
    });
    const throwing = () => Promise.reject(new Error('/etc/resolv.conf cannot be read'));
    const unread = await problemOf(createSelfCheck({ ...options, resolvers: throwing }).locate(leaf, signal));
    expect(unread).toMatchObject({
      kind: 'no-resolver',
      message: expect.stringContaining('/etc/resolv.conf cannot be read'),
    });
  });

  test('a domain that nobody delegated is told with what each listed server said', async () => {
    const problem = await problemOf(world.check.locate(toDnsName('_acme-challenge.www.nowhere.example'), signal));
    expect(problem.kind).toBe('no-delegation');
    expect(problem.message).toContain('nowhere.example: NXDOMAIN from 192.0.2.53:53');
  });

  test('of a zone with hundreds of addresses 32 are asked', async () => {
    const host = 'ns1.example.com';
    const addresses = Array.from({ length: 200 }, (_, at): RecordLine => [host, 'A', `192.0.2.${at + 1}`]);
    const data = () => zone('example.com', ['example.com', 'NS', host], ...addresses);
    await world.dns.serve('192.0.2.1', data());
    const { servers } = await world.check.locate(leaf, signal);
    expect(servers).toHaveLength(32);
  });

  test('a name server below the challenge name is not looked up: a resolver would keep that there is nothing', async () => {
    await world.serveExample([leaf, 'NS', `ns.${leaf}`], [leaf, 'NS', leaf]);
    const problem = await problemOf(world.check.locate(leaf, signal));
    expect(problem.message).toMatch(/^no address is known for the name servers of _acme-challenge\.www\.example\.com/);
    // That the resolver was not asked for either name is looked at after each test.
  });

  test('an abort ends it at once with the reason of the signal', async () => {
    for (const server of Object.values(await world.serveExample())) server.manner = () => 'silent';
    const stop = new AbortController();
    const work = world.check.locate(leaf, stop.signal);
    const reason = new Error('the order is gone');
    stop.abort(reason);
    await expect(work).rejects.toBe(reason);
  });
});
