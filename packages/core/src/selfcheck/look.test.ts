import { toDnsName } from '@zoneproof/dns';
import { createWorld, hasty, leaf, put, signal, value, type World } from './testing/world.ts';
import { type RecordLine, zone } from './testing/zone-data.ts';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.close());

describe('whether the value can be seen', () => {
  const text: RecordLine = ['_acme-challenge.www.example.com', 'TXT', value];

  test('visible when every server has it, beside foreign values and in any cut into strings', async () => {
    await world.serveExample(
      ['_acme-challenge.www.example.com', 'TXT', 'foreign'],
      ['_acme-challenge.www.example.com', 'TXT', value.slice(0, 10), value.slice(10)],
    );
    const evidence = await world.check.look(await world.check.locate(leaf, signal), [value], signal);
    expect(evidence).toMatchObject({ verdict: 'visible', at: world.now, zone: 'example.com', target: leaf });
    expect(evidence.servers).toHaveLength(3);
    expect(evidence.servers[0]).toMatchObject({ finding: 'has', transport: 'udp', rcode: 'NOERROR', aa: true });
    expect(evidence.servers[0]?.values).toEqual(['foreign', 'gfj9Xq-Rg85~']);
    expect(evidence.summary).toBe(`3 of 3 authoritative servers of example.com have the value at ${leaf}`);
  });

  test('one lagging secondary vetoes, and is named with its answer', async () => {
    const { ns1, ns2v6 } = await world.serveExample();
    put(ns1, text);
    put(ns2v6, text);
    const { verdict, summary, servers } = await world.check.look(
      await world.check.locate(leaf, signal),
      [value],
      signal,
    );
    expect(verdict).toBe('missing');
    expect(servers.map(({ finding }) => finding)).toEqual(['has', 'lacks', 'has']);
    expect(summary).toMatch(
      /^1 of 3 authoritative servers of example\.com lacks the value at \S+ \(ns2\.example\.com 192\.0\.2\.2, udp, \d+ ms, NXDOMAIN\); nothing to do unless this lasts beyond the zone's SOA refresh \(3600 s\)$/,
    );
  });

  test('of two values both have to be there', async () => {
    await world.serveExample(text);
    const location = await world.check.locate(leaf, signal);
    await expect(world.check.look(location, [value, 'second'], signal)).resolves.toMatchObject({ verdict: 'missing' });
    await expect(world.check.look(location, [value], signal)).resolves.toMatchObject({ verdict: 'visible' });
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
      const { ns1 } = await world.serveExample(text);
      const location = await world.check.locate(leaf, signal);
      ns1.manner = manner;
      world.check = world.checkFrom('192.0.2.53', hasty);
      const evidence = await world.check.look(location, [value], signal);
      expect(evidence.verdict).toBe('visible');
      expect(evidence.servers[0]).toMatchObject({ finding, detail: expect.stringContaining(detail) });
      expect(evidence.summary).toContain('ns1.example.com 192.0.2.1');
      expect(evidence.summary).toContain('the CA may ask there');
    },
  );

  test('a cut answer is asked again over TCP', async () => {
    for (const server of Object.values(await world.serveExample(text)))
      server.manner = ({ transport }, usual) => (transport === 'udp' ? { ...usual, tc: true, answers: [] } : usual);
    const evidence = await world.check.look(await world.check.locate(leaf, signal), [value], signal);
    expect(evidence.verdict).toBe('visible');
    expect(evidence.servers.map(({ transport }) => transport)).toEqual(['tcp', 'tcp', 'tcp']);
  });

  test('the extended error of a server is told', async () => {
    const { ns2 } = await world.serveExample();
    const location = await world.check.locate(leaf, signal);
    const edns = { udpSize: 1232, dnssecOk: false, extendedErrors: [{ code: 18, text: 'not from this network' }] };
    ns2.manner = () => ({ rcode: 'REFUSED', edns });
    const { servers } = await world.check.look(location, [value], signal);
    expect(servers[1]?.detail).toBe('it answers REFUSED; EDE 18 not from this network');
  });

  test.each([
    ['silent', () => 'silent' as const],
    ['refusing', () => ({ rcode: 'REFUSED' }) as const],
    ['failing', () => ({ rcode: 'SERVFAIL' }) as const],
  ])('zero answers never pass: all servers %s', async (_title, manner) => {
    const servers = Object.values(await world.serveExample(text));
    const location = await world.check.locate(leaf, signal);
    for (const server of servers) server.manner = manner;
    world.check = world.checkFrom('192.0.2.53', hasty);
    const evidence = await world.check.look(location, [value], signal);
    expect(evidence.verdict).toBe('unreachable');
    expect(evidence.summary).toContain('none of 3 authoritative servers of example.com can be seen');
    expect(evidence.summary).toMatch(/; check that /);
  });

  test('a location without servers never passes', async () => {
    const nowhere = { name: leaf, chain: [leaf], target: leaf, zone: toDnsName('example.com'), servers: [] };
    await expect(world.check.look(nowhere, [value], signal)).resolves.toMatchObject({ verdict: 'unreachable' });
  });

  test('name servers without an address count among those that have to be good', async () => {
    await world.dns.serve(
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
    const location = await world.check.locate(leaf, signal);
    expect(location.unresolved).toEqual(['gone1.example.com', 'gone2.example.com']);
    const evidence = await world.check.look(location, [value], signal);
    expect(evidence.verdict).toBe('unreachable');
    expect(evidence.summary).toContain('gone1.example.com, no address is known for it');
  });

  test('a name that became an alias lacks the value, and says so', async () => {
    const { ns1 } = await world.serveExample();
    const location = await world.check.locate(leaf, signal);
    put(ns1, ['_acme-challenge.www.example.com', 'CNAME', 'x.example.com']);
    const { verdict, servers } = await world.check.look(location, [value], signal);
    expect(verdict).toBe('missing');
    expect(servers[0]).toMatchObject({ finding: 'lacks', detail: 'it has a CNAME to x.example.com there' });
  });

  test('values of others may hold anything: what cannot be printed is not', async () => {
    const { ns1 } = await world.serveExample();
    put(ns1, [leaf, 'TXT', 'a\u001b[31m\nb']);
    const location = await world.check.locate(leaf, signal);
    const { servers } = await world.check.look(location, [value], signal);
    expect(servers.find(({ values }) => values !== undefined)?.values).toEqual(['a?[31m?b']);
  });

  test('of many values eight are kept', async () => {
    const { ns1 } = await world.serveExample();
    put(ns1, ...Array.from({ length: 20 }, (_, at): RecordLine => [leaf, 'TXT', `other ${at}`]));
    const location = await world.check.locate(leaf, signal);
    const { servers } = await world.check.look(location, [value], signal);
    expect(servers.map(({ values = [] }) => values.length).sort()).toEqual([0, 0, 8]);
  });

  test('one look is one question to each server', async () => {
    const servers = Object.values(await world.serveExample(text));
    const location = await world.check.locate(leaf, signal);
    for (const server of servers) server.queries.length = 0;
    await world.check.look(location, [value], signal);
    expect(servers.map(({ queries }) => queries.length)).toEqual([1, 1, 1]);
  });

  test('an abort ends a look at once', async () => {
    for (const server of Object.values(await world.serveExample())) server.manner = () => 'silent';
    const stop = new AbortController();
    const location = {
      name: leaf,
      chain: [leaf],
      target: leaf,
      zone: toDnsName('example.com'),
      servers: [{ name: toDnsName('ns1.example.com'), address: '192.0.2.1' }],
    };
    const work = world.check.look(location, [value], stop.signal);
    stop.abort(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
  });
});
