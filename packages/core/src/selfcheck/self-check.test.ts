import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { toDnsName } from '@zoneproof/dns';
import { createSelfCheck } from './self-check.ts';
import { type NameServer, type NameServers, nameServers } from './testing/name-servers.ts';
import { type RecordLine, record, zone } from './testing/zone-data.ts';
import type { LocateError, SelfCheck } from './types.ts';

const leaf = toDnsName('_acme-challenge.www.example.com');
const value = 'gfj9Xq-Rg85nM_7OZKkqVhUvIRbGz5ddkc1sRbJmRkc';
const signal = new AbortController().signal;
setMaxListeners(0, signal);

let dns: NameServers;
let resolver: NameServer;
let check: SelfCheck;
let now: number;

beforeEach(async () => {
  dns = nameServers();
  now = 1_700_000_000_000;
  resolver = await dns.resolve('192.0.2.53');
  check = checkFrom('192.0.2.53');
});

/** Patient unless a test is about silence, so that a busy machine is not taken for a dead server. */
function checkFrom(listed: string, patience: { tryTimeoutMs: number; hedgeMs: number } = patient): SelfCheck {
  return createSelfCheck({
    resolvers: () => [{ address: listed, port: 53 }],
    transport: dns.transport,
    clock: { now: () => now },
    random: (length) => randomBytes(length),
    ...patience,
  });
}
const patient = { tryTimeoutMs: 5000, hedgeMs: 5000 };
const hasty = { tryTimeoutMs: 100, hedgeMs: 50 };

afterEach(async () => {
  // Whatever the test was about: a resolver never learns that the name is asked for.
  const planted = resolver.queries.filter(({ name }) => name.includes('_acme-challenge') || name.startsWith('uuid.'));
  await dns.close();
  expect(planted).toEqual([]);
});

const exampleLines: RecordLine[] = [
  ['example.com', 'NS', 'ns1.example.com'],
  ['example.com', 'NS', 'ns2.example.com'],
  ['ns1.example.com', 'A', '192.0.2.1'],
  ['ns2.example.com', 'A', '192.0.2.2'],
  ['ns2.example.com', 'AAAA', '2001:db8::2'],
  ['www.example.com', 'A', '192.0.2.80'],
];

/** example.com on two name servers with three addresses. */
async function serveExample(...more: RecordLine[]) {
  const data = () => zone('example.com', ...exampleLines, ...more);
  return {
    ns1: await dns.serve('192.0.2.1', data()),
    ns2: await dns.serve('192.0.2.2', data()),
    ns2v6: await dns.serve('2001:db8::2', data()),
  };
}

function put(server: NameServer, ...lines: RecordLine[]) {
  const target = server.zones.at(-1);
  if (target) target.records = [...target.records, ...lines.map(record)];
}

async function problemOf(work: Promise<unknown>): Promise<LocateError> {
  return work.then(
    () => {
      throw new Error('it should have failed');
    },
    (error: LocateError) => error,
  );
}

describe('where the value belongs', () => {
  test('every address, IPv4 and IPv6, of every name server of the zone', async () => {
    await serveExample();
    await expect(check.locate(leaf, signal)).resolves.toEqual({
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
    const { ns1, ns2, ns2v6 } = await serveExample();
    await check.look(await check.locate(leaf, signal), [value], signal);
    expect([ns1, ns2, ns2v6].flatMap(({ queries }) => queries).some(({ rd }) => rd)).toBe(false);
    expect(resolver.queries.every(({ rd }) => rd)).toBe(true);
  });

  test('a listed server that is itself authoritative, and no resolver, is enough', async () => {
    const { ns1 } = await serveExample();
    const own = checkFrom('192.0.2.1');
    await expect(own.locate(leaf, signal)).resolves.toMatchObject({ zone: 'example.com' });
    expect(ns1.queries.filter(({ name, rd }) => name === leaf && rd)).toEqual([]);
  });

  test('a listed server that knows only a deeper zone: the walk goes on below what it refuses', async () => {
    await dns.serve(
      '192.0.2.9',
      zone(
        'lab.example.com',
        ['lab.example.com', 'NS', 'ns.lab.example.com'],
        ['ns.lab.example.com', 'A', '192.0.2.9'],
      ),
    );
    resolver.manner = ({ name }, usual) => (name === 'example.com' ? { rcode: 'REFUSED' } : usual);
    await expect(check.locate(toDnsName('_acme-challenge.lab.example.com'), signal)).resolves.toMatchObject({
      zone: 'lab.example.com',
      servers: [{ address: '192.0.2.9' }],
    });
  });

  test('an alias into another zone is followed; there only TXT is asked', async () => {
    await serveExample(['_acme-challenge.www.example.com', 'CNAME', 'uuid.auth.example.net']);
    await dns.serve(
      '192.0.2.20',
      zone(
        'example.net',
        ['example.net', 'NS', 'ns.example.net'],
        ['ns.example.net', 'A', '192.0.2.20'],
        ['auth.example.net', 'NS', 'auth.example.net'],
        ['auth.example.net', 'A', '192.0.2.21'],
      ),
    );
    const acmedns = await dns.serve(
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
    const location = await check.locate(leaf, signal);
    expect(location).toMatchObject({
      chain: [leaf, 'uuid.auth.example.net'],
      target: 'uuid.auth.example.net',
      zone: 'auth.example.net',
      servers: [{ name: 'auth.example.net', address: '192.0.2.21' }],
    });
    await expect(check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
    const atLeaf = acmedns.queries.filter(({ name }) => name.startsWith('uuid.'));
    expect(new Set(atLeaf.map(({ type }) => type))).toEqual(new Set(['TXT']));
  });

  test('NXDOMAIN with a chain in one answer is the last name of the chain that is missing, not the first', async () => {
    await serveExample(
      ['_acme-challenge.www.example.com', 'CNAME', 'a.dcv.example.com'],
      ['a.dcv.example.com', 'CNAME', 'b.dcv.example.com'],
    );
    await expect(check.locate(leaf, signal)).resolves.toMatchObject({
      chain: [leaf, 'a.dcv.example.com', 'b.dcv.example.com'],
      zone: 'example.com',
    });
  });

  test('an alias that a wildcard makes is not followed: our value will hide it', async () => {
    const { ns1, ns2, ns2v6 } = await serveExample(['*.example.com', 'CNAME', 'lb.cdn.example']);
    const hidden = toDnsName('_acme-challenge.shop.example.com');
    const location = await check.locate(hidden, signal);
    expect(location).toMatchObject({ chain: [hidden], target: hidden, zone: 'example.com' });
    await expect(check.look(location, [value], signal)).resolves.toMatchObject({
      verdict: 'missing',
      summary: expect.stringContaining('it has a CNAME to lb.cdn.example there'),
    });
    for (const server of [ns1, ns2, ns2v6]) put(server, ['_acme-challenge.shop.example.com', 'TXT', value]);
    await expect(check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
  });

  test('a delegation beside a wildcard with another target is followed', async () => {
    await serveExample(
      ['*.example.com', 'CNAME', 'lb.cdn.example'],
      ['_acme-challenge.shop.example.com', 'CNAME', 'here.example.com'],
      ['here.example.com', 'A', '192.0.2.3'],
    );
    await expect(check.locate(toDnsName('_acme-challenge.shop.example.com'), signal)).resolves.toMatchObject({
      target: 'here.example.com',
    });
  });

  test('an alias that leads back is a loop, named from end to end', async () => {
    await serveExample(
      ['_acme-challenge.www.example.com', 'CNAME', 'a.example.com'],
      ['a.example.com', 'CNAME', '_acme-challenge.www.example.com'],
    );
    const problem = await problemOf(check.locate(leaf, signal));
    expect(problem).toMatchObject({ name: 'LocateError', kind: 'cname-loop' });
    expect(problem.message).toContain(`${leaf} -> a.example.com -> ${leaf} leads back to itself`);
  });

  test('more than ten aliases are refused', async () => {
    const chain = Array.from(
      { length: 12 },
      (_, i): RecordLine => [`c${i}.example.com`, 'CNAME', `c${i + 1}.example.com`],
    );
    await serveExample(['_acme-challenge.www.example.com', 'CNAME', 'c0.example.com'], ...chain);
    const problem = await problemOf(check.locate(leaf, signal));
    expect(problem).toMatchObject({ kind: 'cname-loop', message: expect.stringContaining('longer than 10 aliases') });
  });

  test('an alias into a domain that does not exist dangles; the message names both ends', async () => {
    await serveExample(['_acme-challenge.www.example.com', 'CNAME', 'uuid.auth.exmaple.net']);
    resolver.manner = ({ name }, usual) => (name.endsWith('exmaple.net') ? { ...usual, rcode: 'NXDOMAIN' } : usual);
    const problem = await problemOf(check.locate(leaf, signal));
    expect(problem.kind).toBe('cname-dangling');
    expect(problem.message).toContain(`${leaf} is a CNAME to uuid.auth.exmaple.net`);
    expect(problem.message).toContain(`correct the CNAME of ${leaf}`);
  });

  test('a delegated child: its own servers, those its parent names and those it names itself', async () => {
    await serveExample(['sub.example.com', 'NS', 'ns.sub.example.com'], ['ns.sub.example.com', 'A', '192.0.2.30']);
    const lines: RecordLine[] = [
      ['sub.example.com', 'NS', 'ns.sub.example.com'],
      ['sub.example.com', 'NS', 'new.sub.example.com'],
      ['ns.sub.example.com', 'A', '192.0.2.30'],
      ['new.sub.example.com', 'A', '192.0.2.31'],
    ];
    await dns.serve('192.0.2.30', zone('sub.example.com', ...lines));
    await dns.serve('192.0.2.31', zone('sub.example.com', ...lines));
    const location = await check.locate(toDnsName('_acme-challenge.a.sub.example.com'), signal);
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
    await dns.serve('192.0.2.1', parent(), child());
    await dns.serve('192.0.2.2', parent(), child());
    await dns.serve('2001:db8::2', parent(), child());
    const location = await check.locate(toDnsName('_acme-challenge.a.sub.example.com'), signal);
    expect(location.zone).toBe('sub.example.com');
    expect(location.servers.map(({ address }) => address).sort()).toEqual(['192.0.2.1', '192.0.2.40']);
  });

  test('an empty non-terminal and a wildcard TXT lead to the zone all the same', async () => {
    await serveExample(
      ['deep._acme-challenge.www.example.com', 'A', '192.0.2.3'],
      ['*.example.com', 'TXT', 'anything'],
    );
    await expect(check.locate(leaf, signal)).resolves.toMatchObject({ zone: 'example.com' });
    const synthesised = toDnsName('_acme-challenge.nowhere.example.com');
    await expect(check.locate(synthesised, signal)).resolves.toMatchObject({
      zone: 'example.com',
      target: synthesised,
    });
  });

  test('a zone below a public suffix that is a zone of its own', async () => {
    await dns.serve(
      '192.0.2.50',
      zone(
        'co.uk',
        ['co.uk', 'NS', 'ns.co.uk'],
        ['ns.co.uk', 'A', '192.0.2.50'],
        ['example.co.uk', 'NS', 'ns.example.co.uk'],
        ['ns.example.co.uk', 'A', '192.0.2.51'],
      ),
    );
    await dns.serve(
      '192.0.2.51',
      zone('example.co.uk', ['example.co.uk', 'NS', 'ns.example.co.uk'], ['ns.example.co.uk', 'A', '192.0.2.51']),
    );
    await expect(check.locate(toDnsName('_acme-challenge.example.co.uk'), signal)).resolves.toMatchObject({
      zone: 'example.co.uk',
    });
  });

  test('a dead server costs the hedge, not its time-outs, and the next name does not begin with it', async () => {
    const { ns1 } = await serveExample();
    check = checkFrom('192.0.2.53', { tryTimeoutMs: 5000, hedgeMs: 100 });
    ns1.manner = () => 'silent';
    for (const host of ['a', 'b', 'c', 'd', 'e', 'f'])
      await check.locate(toDnsName(`_acme-challenge.${host}.example.com`), signal);
    expect(ns1.queries).toHaveLength(1);
  });

  test('servers that all refuse: the message names each, its answer and what to do', async () => {
    for (const server of Object.values(await serveExample())) server.manner = () => ({ rcode: 'REFUSED' });
    const problem = await problemOf(check.locate(leaf, signal));
    expect(problem.kind).toBe('unreachable');
    expect(problem.message).toContain('ns1.example.com 192.0.2.1: it answers REFUSED');
    expect(problem.message).toContain('ns2.example.com 2001:db8::2: it answers REFUSED');
    expect(problem.message).toContain('check');
  });

  test('listed servers that are silent, listed servers that do not exist, and none at all', async () => {
    resolver.manner = () => 'silent';
    check = checkFrom('192.0.2.53', hasty);
    const silent = await problemOf(check.locate(leaf, signal));
    expect(silent).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('192.0.2.53:53') });
    const options = { transport: dns.transport, clock: { now: () => now }, random: (n: number) => randomBytes(n) };
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
    const problem = await problemOf(check.locate(toDnsName('_acme-challenge.www.nowhere.example'), signal));
    expect(problem.kind).toBe('no-delegation');
    expect(problem.message).toContain('nowhere.example: NXDOMAIN from 192.0.2.53:53');
  });

  test('an abort ends it at once with the reason of the signal', async () => {
    for (const server of Object.values(await serveExample())) server.manner = () => 'silent';
    const stop = new AbortController();
    const work = check.locate(leaf, stop.signal);
    const reason = new Error('the order is gone');
    stop.abort(reason);
    await expect(work).rejects.toBe(reason);
  });
});

describe('what it costs', () => {
  test('one more name of a known zone: one question to one server, none to a resolver', async () => {
    const servers = Object.values(await serveExample());
    await check.locate(leaf, signal);
    const before = resolver.queries.length;
    for (const server of servers) server.queries.length = 0;
    await check.locate(toDnsName('_acme-challenge.other.example.com'), signal);
    expect(servers.flatMap(({ queries }) => queries)).toHaveLength(1);
    expect(resolver.queries).toHaveLength(before);
  });

  test('1,000 names at once in one zone cost one walk', async () => {
    const servers = Object.values(await serveExample());
    const names = Array.from({ length: 1000 }, (_, i) => toDnsName(`_acme-challenge.h${i}.example.com`));
    await Promise.all(names.map((name) => check.locate(name, signal)));
    // NS of example.com, A of ns1 is in the answer's additionals or asked once, AAAA asked once for each server.
    expect(resolver.queries.length).toBeLessThanOrEqual(5);
    expect(servers.flatMap(({ queries }) => queries)).toHaveLength(1000);
  });

  test('100 names at once behind an unknown zone cut: one finds it, the others follow', async () => {
    const { ns1, ns2, ns2v6 } = await serveExample(
      ['sub.example.com', 'NS', 'ns.sub.example.com'],
      ['ns.sub.example.com', 'A', '192.0.2.30'],
    );
    await dns.serve(
      '192.0.2.30',
      zone(
        'sub.example.com',
        ['sub.example.com', 'NS', 'ns.sub.example.com'],
        ['ns.sub.example.com', 'A', '192.0.2.30'],
      ),
    );
    const names = Array.from({ length: 100 }, (_, i) => toDnsName(`_acme-challenge.h${i}.sub.example.com`));
    const found = await Promise.all(names.map((name) => check.locate(name, signal)));
    expect(new Set(found.map(({ zone }) => zone))).toEqual(new Set(['sub.example.com']));
    expect([ns1, ns2, ns2v6].flatMap(({ queries }) => queries)).toHaveLength(1);
  });

  test('one abort does not spoil the walk for the others', async () => {
    await serveExample();
    const stop = new AbortController();
    const first = check.locate(leaf, stop.signal);
    const second = check.locate(toDnsName('_acme-challenge.b.example.com'), signal);
    await Promise.resolve();
    stop.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await expect(second).resolves.toMatchObject({ zone: 'example.com' });
  });

  test('what is remembered is asked anew after five minutes, and after forget', async () => {
    await serveExample();
    const walks = async () => {
      await check.locate(leaf, signal);
      return resolver.queries.filter(({ type }) => type === 'NS').length;
    };
    expect(await walks()).toBe(1);
    expect(await walks()).toBe(1);
    now += 301_000;
    expect(await walks()).toBe(2);
    check.forget(leaf);
    expect(await walks()).toBe(3);
  });

  test('servers that have moved are found again, without forget', async () => {
    const { ns1, ns2, ns2v6 } = await serveExample();
    await check.locate(leaf, signal);
    for (const server of [ns1, ns2, ns2v6]) {
      server.manner = () => ({ rcode: 'REFUSED' });
      server.zones.length = 0;
    }
    await dns.serve(
      '192.0.2.60',
      zone('example.com', ['example.com', 'NS', 'ns.example.com'], ['ns.example.com', 'A', '192.0.2.60']),
    );
    await expect(check.locate(leaf, signal)).resolves.toMatchObject({ servers: [{ address: '192.0.2.60' }] });
  });

  test('another set of listed servers starts from nothing', async () => {
    await serveExample();
    let listed = '192.0.2.53';
    const other = await dns.resolve('192.0.2.54');
    const moving = createSelfCheck({
      resolvers: () => [{ address: listed, port: 53 }],
      transport: dns.transport,
      clock: { now: () => now },
      random: (length) => randomBytes(length),
    });
    await moving.locate(leaf, signal);
    expect(other.queries).toEqual([]);
    listed = '192.0.2.54';
    await moving.locate(leaf, signal);
    expect(other.queries.some(({ type }) => type === 'NS')).toBe(true);
  });
});

describe('whether the value can be seen', () => {
  const text: RecordLine = ['_acme-challenge.www.example.com', 'TXT', value];

  test('visible when every server has it, beside foreign values and in any cut into strings', async () => {
    await serveExample(
      ['_acme-challenge.www.example.com', 'TXT', 'foreign'],
      ['_acme-challenge.www.example.com', 'TXT', value.slice(0, 10), value.slice(10)],
    );
    const evidence = await check.look(await check.locate(leaf, signal), [value], signal);
    expect(evidence).toMatchObject({ verdict: 'visible', at: now, zone: 'example.com', target: leaf });
    expect(evidence.servers).toHaveLength(3);
    expect(evidence.servers[0]).toMatchObject({ finding: 'has', transport: 'udp', rcode: 'NOERROR', aa: true });
    expect(evidence.servers[0]?.values).toEqual(['foreign', 'gfj9Xq-Rg85~']);
    expect(evidence.summary).toBe(`3 of 3 authoritative servers of example.com have the value at ${leaf}`);
  });

  test('one lagging secondary vetoes, and is named with its answer', async () => {
    const { ns1, ns2v6 } = await serveExample();
    put(ns1, text);
    put(ns2v6, text);
    const { verdict, summary, servers } = await check.look(await check.locate(leaf, signal), [value], signal);
    expect(verdict).toBe('missing');
    expect(servers.map(({ finding }) => finding)).toEqual(['has', 'lacks', 'has']);
    expect(summary).toMatch(
      /^1 of 3 authoritative servers of example\.com lacks the value at \S+ \(ns2\.example\.com 192\.0\.2\.2, udp, \d+ ms, NXDOMAIN\); nothing to do unless this lasts beyond the zone's SOA refresh \(3600 s\)$/,
    );
  });

  test('of two values both have to be there', async () => {
    await serveExample(text);
    const location = await check.locate(leaf, signal);
    await expect(check.look(location, [value, 'second'], signal)).resolves.toMatchObject({ verdict: 'missing' });
    await expect(check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
  });

  test.each([
    ['refuses', () => ({ rcode: 'REFUSED' }) as const, 'lame', 'it answers REFUSED'],
    [
      'answers without authority',
      (_: unknown, usual: object) => ({ ...usual, aa: false }),
      'lame',
      'without authority',
    ],
    ['is silent', () => 'silent' as const, 'unreachable', 'udp: no answer to 2 queries'],
  ])(
    'a server that %s is a warning while half of the name servers have it',
    async (_title, manner, finding, detail) => {
      const { ns1 } = await serveExample(text);
      const location = await check.locate(leaf, signal);
      ns1.manner = manner;
      check = checkFrom('192.0.2.53', hasty);
      const evidence = await check.look(location, [value], signal);
      expect(evidence.verdict).toBe('visible');
      expect(evidence.servers[0]).toMatchObject({ finding, detail: expect.stringContaining(detail) });
      expect(evidence.summary).toContain('ns1.example.com 192.0.2.1');
      expect(evidence.summary).toContain('the CA may ask there');
    },
  );

  test('a cut answer is asked again over TCP', async () => {
    for (const server of Object.values(await serveExample(text)))
      server.manner = ({ transport }, usual) => (transport === 'udp' ? { ...usual, tc: true, answers: [] } : usual);
    const evidence = await check.look(await check.locate(leaf, signal), [value], signal);
    expect(evidence.verdict).toBe('visible');
    expect(evidence.servers.map(({ transport }) => transport)).toEqual(['tcp', 'tcp', 'tcp']);
  });

  test('the extended error of a server is told', async () => {
    const { ns2 } = await serveExample();
    const location = await check.locate(leaf, signal);
    const edns = { udpSize: 1232, dnssecOk: false, extendedErrors: [{ code: 18, text: 'not from this network' }] };
    ns2.manner = () => ({ rcode: 'REFUSED', edns });
    const { servers } = await check.look(location, [value], signal);
    expect(servers[1]?.detail).toBe('it answers REFUSED; EDE 18 not from this network');
  });

  test.each([
    ['silent', () => 'silent' as const],
    ['refusing', () => ({ rcode: 'REFUSED' }) as const],
    ['failing', () => ({ rcode: 'SERVFAIL' }) as const],
  ])('zero answers never pass: all servers %s', async (_title, manner) => {
    const servers = Object.values(await serveExample(text));
    const location = await check.locate(leaf, signal);
    for (const server of servers) server.manner = manner;
    check = checkFrom('192.0.2.53', hasty);
    const evidence = await check.look(location, [value], signal);
    expect(evidence.verdict).toBe('unreachable');
    expect(evidence.summary).toContain('none of 3 authoritative servers of example.com can be seen');
    expect(evidence.summary).toMatch(/; check that /);
  });

  test('a location without servers never passes', async () => {
    const nowhere = { name: leaf, chain: [leaf], target: leaf, zone: toDnsName('example.com'), servers: [] };
    await expect(check.look(nowhere, [value], signal)).resolves.toMatchObject({ verdict: 'unreachable' });
  });

  test('name servers without an address count among those that have to be good', async () => {
    await dns.serve(
      '192.0.2.1',
      zone(
        'example.com',
        ['example.com', 'NS', 'ns1.example.com'],
        ['example.com', 'NS', 'gone1.example.com'],
        ['example.com', 'NS', 'gone2.example.com'],
        ['ns1.example.com', 'A', '192.0.2.1'],
        text,
      ),
    );
    const location = await check.locate(leaf, signal);
    expect(location.unresolved).toEqual(['gone1.example.com', 'gone2.example.com']);
    const evidence = await check.look(location, [value], signal);
    expect(evidence.verdict).toBe('unreachable');
    expect(evidence.summary).toContain('gone1.example.com, no address is known for it');
  });

  test('a name that became an alias lacks the value, and says so', async () => {
    const { ns1 } = await serveExample();
    const location = await check.locate(leaf, signal);
    put(ns1, ['_acme-challenge.www.example.com', 'CNAME', 'x.example.com']);
    const { verdict, servers } = await check.look(location, [value], signal);
    expect(verdict).toBe('missing');
    expect(servers[0]).toMatchObject({ finding: 'lacks', detail: 'it has a CNAME to x.example.com there' });
  });

  test('one look is one question to each server', async () => {
    const servers = Object.values(await serveExample(text));
    const location = await check.locate(leaf, signal);
    for (const server of servers) server.queries.length = 0;
    await check.look(location, [value], signal);
    expect(servers.map(({ queries }) => queries.length)).toEqual([1, 1, 1]);
  });

  test('an abort ends a look at once', async () => {
    for (const server of Object.values(await serveExample())) server.manner = () => 'silent';
    const stop = new AbortController();
    const location = {
      name: leaf,
      chain: [leaf],
      target: leaf,
      zone: toDnsName('example.com'),
      servers: [{ name: toDnsName('ns1.example.com'), address: '192.0.2.1' }],
    };
    const work = check.look(location, [value], stop.signal);
    stop.abort(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
  });
});
