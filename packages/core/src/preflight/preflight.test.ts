import { randomBytes } from 'node:crypto';
import { type CaaData, type DnsRecord, toDnsName } from '@zoneproof/dns';
import { createSelfCheck } from '../selfcheck/self-check.ts';
import type { NameServer } from '../selfcheck/testing/name-servers.ts';
import { createWorld, exampleLines, hasty, put, signal, type World } from '../selfcheck/testing/world.ts';
import { type RecordLine, soa, zone } from '../selfcheck/testing/zone-data.ts';
import { LocateError, type SelfCheck } from '../selfcheck/types.ts';
import type { BoundProvider } from '../writer/index.ts';
import type { Finding } from './finding.ts';
import { createPreflight, type Preflight, preflight } from './preflight.ts';
import type { PreflightTarget } from './target.ts';

let world: World;

const slots = {
  displayName: 'acmedns "a"',
  capabilities: { model: 'slots' },
  provider: { check: async () => [] },
} as unknown as BoundProvider;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

function options(patience: { readonly tryTimeoutMs: number } = { tryTimeoutMs: 5_000 }) {
  return {
    resolvers: () => [{ address: '192.0.2.53', port: 53 }],
    transport: world.dns.transport,
    clock: { now: () => world.now },
    random: (length: number) => randomBytes(length),
    tryTimeoutMs: patience.tryTimeoutMs,
  };
}

const delegation: readonly RecordLine[] = [
  ['com', 'NS', 'a.gtld.com'],
  ['a.gtld.com', 'A', '192.0.2.200'],
  ...exampleLines.slice(0, 5).map(([name, type, ...data]): RecordLine => [name, type, ...data]),
];

/** example.com on three addresses below com. */
async function serveAll(...more: RecordLine[]) {
  const com = await world.dns.serve('192.0.2.200', zone('com', ...delegation));
  return { com, ...(await world.serveExample(...more)) };
}

function caa(server: NameServer, owner: string, ...properties: readonly CaaData[]): void {
  const [target] = server.zones.slice(-1);
  const records = properties.map((data): DnsRecord => ({ name: toDnsName(owner), type: 'CAA', ttl: 60, data }));
  if (target) target.records = [...target.records, ...records];
}

const issue = (value: string, tag = 'issue', flags = 0): CaaData => ({ flags, tag, value });

const byId = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ id, about, result, detail }) => [`${id} ${about.name}`, `${result}: ${detail}`]));

const check = async (...names: string[]) => {
  const { findings } = await preflight({ names, caaIdentities: ['ca.example'] }, { ...options(), signal });
  return byId(findings);
};

test('a healthy zone: every finding is ok but for the chain of trust, whose root is not to be had here', async () => {
  await serveAll();
  const report = await preflight(
    { names: ['www.example.com', '*.www.example.com'], caaIdentities: ['ca.example'] },
    { ...options(), signal },
  );
  expect(report.findings.filter(({ result }) => result !== 'ok').map(({ id }) => id)).toEqual(['dnssec']);
  expect(report.result).toBe('unknown');
  expect(report.findings.map(({ id, about }) => `${id} ${about.name}`)).toEqual([
    'challenge-name www.example.com',
    'caa www.example.com',
    'caa *.www.example.com',
    'delegation example.com',
    'servers example.com',
    'serials example.com',
    'negative-ttl example.com',
    'dnssec example.com',
    'wildcard www.example.com',
    'leftovers www.example.com',
  ]);
});

test('each broken thing is told where it is, and the others beside it', async () => {
  const { ns2, ns2v6, com } = await serveAll(['_acme-challenge.www.example.com', 'TXT', 'left']);
  ns2v6.manner = () => ({ rcode: 'REFUSED', aa: false, answers: [] });
  ns2.manner = ({ type }, usual) => {
    const own = soa(toDnsName('example.com'));
    return type === 'SOA' && own.type === 'SOA'
      ? { ...usual, answers: [{ ...own, data: { ...own.data, serial: 5 } }] }
      : usual;
  };
  put(com, ['example.com', 'NS', 'ns9.example.com'], ['ns9.example.com', 'A', '192.0.2.1']);
  // Scripted servers have no SOA record among their records, but in their negative answers.
  const found = await check('www.example.com');
  expect(found['delegation example.com']).toMatch(/^warning: .*only com names ns9\.example\.com/);
  expect(found['servers example.com']).toMatch(
    /^warning: .*ns2\.example\.com 2001:db8::2 answers REFUSED without authority/,
  );
  expect(found['serials example.com']).toMatch(
    /^warning: ns2\.example\.com 192\.0\.2\.2 still serves serial 5, 2 behind/,
  );
  expect(found['leftovers www.example.com']).toMatch(
    /^warning: 1 TXT value is at _acme-challenge\.www\.example\.com already \("left"\)/,
  );
});

test('a server that is silent over TCP or over UDP', async () => {
  const { ns1, ns2 } = await serveAll();
  ns1.manner = ({ transport }, usual) => (transport === 'tcp' ? 'silent' : usual);
  ns2.manner = ({ transport }, usual) => (transport === 'udp' ? 'silent' : usual);
  const { findings } = await preflight({ names: ['example.com'] }, { ...options(hasty), signal });
  const { 'servers example.com': told } = byId(findings);
  expect(told).toMatch(/ns1\.example\.com 192\.0\.2\.1 answers over UDP only \(no answer within 100 ms\)/);
  expect(told).toMatch(/ns2\.example\.com 192\.0\.2\.2 answers over TCP only \(no answer over UDP\)/);
});

test('a name that nobody delegates', async () => {
  expect(await check('www.nowhere.example')).toMatchObject({
    'challenge-name www.nowhere.example': expect.stringMatching(
      /^failed: no zone holds _acme-challenge\.www\.nowhere\.example/,
    ),
  });
});

describe('CAA', () => {
  test.each<[string, (ns: NameServer) => void, string, RegExp]>([
    ['none anywhere', () => undefined, 'www.example.com', /^ok: no CAA record at www\.example\.com or above/],
    [
      'at the name',
      (ns) => caa(ns, 'www.example.com', issue('ca.example')),
      'www.example.com',
      /^ok: www\.example\.com: at www\.example\.com, CAA 0 issue "ca\.example" allows it\.$/,
    ],
    [
      'inherited from the apex',
      (ns) => caa(ns, 'example.com', issue('other.example')),
      'www.example.com',
      /^failed: www\.example\.com: at example\.com, .*does not let ca\.example issue; add CAA 0 issue "ca\.example" there\.$/,
    ],
    [
      'the nearest counts',
      (ns) => {
        caa(ns, 'example.com', issue(';'));
        caa(ns, 'www.example.com', issue('ca.example'));
      },
      'www.example.com',
      /^ok/,
    ],
    [
      'a wildcard has its own',
      (ns) => caa(ns, 'example.com', issue('ca.example'), issue(';', 'issuewild')),
      '*.example.com',
      /^failed: \*\.example\.com: at example\.com, CAA 0 issuewild ";" lets nobody issue; add CAA 0 issuewild/,
    ],
    [
      'another method',
      (ns) => caa(ns, 'example.com', issue('ca.example; validationmethods=http-01')),
      'example.com',
      /^failed: .*add dns-01 to validationmethods there\.$/,
    ],
    [
      'an account that is not known here',
      (ns) => caa(ns, 'example.com', issue('ca.example; accounturi=https://ca.example/1')),
      'example.com',
      /^warning: .*compare the account URL/,
    ],
    [
      'where a CNAME leads to',
      (ns) => {
        put(ns, ['a.example.com', 'CNAME', 'www.example.com']);
        caa(ns, 'www.example.com', issue(';'));
      },
      'a.example.com',
      /^failed: a\.example\.com: at a\.example\.com \(a CNAME to www\.example\.com\), .*lets nobody issue/,
    ],
    [
      'a CNAME into nowhere is an empty answer',
      (ns) => {
        put(ns, ['a.example.com', 'CNAME', 'a.nowhere.invalid']);
        caa(ns, 'example.com', issue(';'));
      },
      'a.example.com',
      /^failed: a\.example\.com: at example\.com, .*lets nobody issue/,
    ],
    [
      'critical and unknown',
      (ns) => caa(ns, 'example.com', issue('x', 'future', 128)),
      'example.com',
      /^failed: .*is critical/,
    ],
  ])('%s', async (_title, prepare, name, expected) => {
    const { ns1, ns2, ns2v6 } = await serveAll();
    for (const ns of [ns1, ns2, ns2v6]) prepare(ns);
    expect((await check(name))[`caa ${name}`]).toMatch(expected);
  });

  test('a name that cannot be asked for is unknown, not allowed and not denied', async () => {
    const { ns1, ns2, ns2v6 } = await serveAll();
    for (const ns of [ns1, ns2, ns2v6])
      ns.manner = ({ type }, usual) => (type === 'CAA' ? { rcode: 'SERVFAIL', aa: false } : usual);
    expect((await check('www.example.com'))['caa www.example.com']).toMatch(
      /^unknown: the CAA records of www\.example\.com could not be asked for: it answers SERVFAIL/,
    );
  });

  test('no resolver is asked for a name that may not exist', async () => {
    await serveAll();
    await check('new.host.example.com');
    expect(
      [...new Set(world.resolver.queries.map(({ name }) => name))].filter((name) => name.endsWith('host.example.com')),
    ).toEqual([]);
  });
});

describe('denials', () => {
  const place = async (name: string) => {
    const domain = toDnsName(name);
    return new Map([[domain, await world.check.locate(toDnsName(`_acme-challenge.${name}`), signal)]]);
  };
  const denialsOf = async (quick: Preflight, name: string, ...identities: string[]) =>
    quick.denials({ names: [name], caaIdentities: identities, locations: await place(name) }, signal);

  test('what CAA forbids is told with its record; what it allows is not', async () => {
    const { ns1, ns2, ns2v6 } = await serveAll();
    for (const ns of [ns1, ns2, ns2v6]) caa(ns, 'example.com', issue('other.example'));
    const quick = createPreflight(options());
    expect(await denialsOf(quick, 'www.example.com', 'ca.example')).toMatchObject([{ id: 'caa', result: 'failed' }]);
    expect(await denialsOf(quick, 'www.example.com', 'other.example')).toEqual([]);
  });

  test('trouble with a lookup forbids nothing', async () => {
    const { ns1, ns2, ns2v6, com } = await serveAll();
    const quick = createPreflight(options());
    const locations = await place('www.example.com');
    for (const server of [ns1, ns2, ns2v6, com]) server.manner = () => ({ rcode: 'SERVFAIL', aa: false, answers: [] });
    const request = { names: ['www.example.com'], caaIdentities: ['ca.example'], locations };
    expect(await quick.denials(request, signal)).toEqual([]);
  });

  test('a hundred names of one zone cost little more than a question each', async () => {
    const servers = await serveAll();
    const quick = createPreflight(options());
    const names = Array.from({ length: 100 }, (_one, at) => `h${at}.example.com`);
    const places = await Promise.all(names.map(place));
    const before = asked(Object.values(servers));
    await quick.denials(
      { names, caaIdentities: ['ca.example'], locations: new Map(places.flatMap((one) => [...one])) },
      signal,
    );
    expect(asked(Object.values(servers)) - before).toBeLessThan(125);
  });
});

function asked(servers: readonly NameServer[]): number {
  return servers.reduce((sum, { queries }) => sum + queries.length, 0);
}

test('a zone that begins at the challenge name is asked for TXT alone, and no resolver for it', async () => {
  const { com, ns1, ns2, ns2v6 } = await serveAll(['_acme-challenge.www.example.com', 'NS', 'ns.acme-dns.com']);
  put(com, ['acme-dns.com', 'NS', 'ns.acme-dns.com'], ['ns.acme-dns.com', 'A', '192.0.2.66']);
  const leaf = await world.dns.serve(
    '192.0.2.66',
    zone('_acme-challenge.www.example.com', ['_acme-challenge.www.example.com', 'TXT', 'x']),
  );
  await world.dns.serve(
    '192.0.2.67',
    zone('acme-dns.com', ['acme-dns.com', 'NS', 'ns.acme-dns.com'], ['ns.acme-dns.com', 'A', '192.0.2.66']),
  );
  const found = await check('www.example.com');
  expect(found['challenge-name www.example.com']).toMatch(/^ok: .* in zone _acme-challenge\.www\.example\.com\.$/);
  expect(found['servers _acme-challenge.www.example.com']).toMatch(/^ok: 1 address of 1 name server/);
  expect(
    [...new Set(leaf.queries.filter(({ name }) => name.startsWith('_acme')).map(({ type }) => type))].sort(),
  ).toEqual(['DNSKEY', 'TXT']);
  expect(asked([ns1, ns2, ns2v6])).toBeLessThan(20);
});

test('where only listed servers may be asked, those of the zone are left alone, and what they would say is unknown', async () => {
  const { ns1, ns2, ns2v6 } = await serveAll();
  const selfCheck = createSelfCheck({ ...options(), mode: 'listed-only' });
  const { findings, result } = await preflight({ names: ['www.example.com'] }, { ...options(), selfCheck, signal });
  expect(result).toBe('unknown');
  expect(byId(findings)).toMatchObject({
    'challenge-name www.example.com': expect.stringMatching(/^unknown: .*the mode is listed-only/),
    'servers example.com': expect.stringMatching(
      /^unknown: the servers of example\.com are not asked: the mode is listed-only\.$/,
    ),
  });
  expect(asked([ns1, ns2, ns2v6])).toBe(0);
});

test('with listed-only the CAA records stay unknown for the reason that they are, and nobody is asked for them', async () => {
  await serveAll();
  const selfCheck = createSelfCheck({ ...options(), mode: 'listed-only' });
  const target = { names: ['www.example.com'], caaIdentities: ['ca.example'] };
  const { findings } = await preflight(target, { ...options(), selfCheck, signal });
  expect(byId(findings)['caa www.example.com']).toMatch(
    /^unknown: .*the mode is listed-only, and a resolver would keep/,
  );
  expect(world.resolver.queries.filter(({ type }) => type === 'CAA')).toEqual([]);
});

test.each<[string, Partial<PreflightTarget>, boolean]>([
  ['nobody tells', {}, false],
  ['whoever chooses the provider tells', { isDelegated: (domain) => domain === 'www.example.com' }, true],
  ['the only provider is one that names are delegated to', { providers: [slots] }, true],
  [
    'another may be chosen',
    { providers: [slots], route: async () => ({ provider: slots, zone: { id: 'z', name: toDnsName('example.com') } }) },
    false,
  ],
])('whether the challenge name is known to be an alias: %s', async (_title, more, isDelegated) => {
  const hows: unknown[] = [];
  const selfCheck = {
    locate: async (_name, _signal, how) => {
      hows.push(how);
      throw new LocateError('no-delegation', 'nothing here');
    },
  } as Pick<SelfCheck, 'locate'> as SelfCheck;
  await preflight({ names: ['www.example.com'], ...more }, { ...options(), selfCheck, signal });
  expect(hows).toEqual([{ isDelegated }]);
});

test('what several names have in common is asked once and told once', async () => {
  const { ns1 } = await serveAll();
  let checks = 0;
  const provider = {
    check: async () => {
      checks += 1;
      return [{ what: 'reachable', result: 'ok', detail: 'it answers' }];
    },
  };
  const bound = { ...slots, provider } as unknown as BoundProvider;
  const both = createPreflight(options());
  const target = { names: ['a.example.com', 'b.example.com'], providers: [bound] };
  const { findings } = await both.check(target, signal);
  expect(findings.filter(({ about }) => about.kind === 'zone').map(({ id }) => id)).toEqual([
    'delegation',
    'servers',
    'serials',
    'negative-ttl',
    'dnssec',
  ]);
  const asked = () => ns1.queries.filter(({ type }) => type === 'SOA').length;
  const before = asked();
  await both.check(target, signal);
  expect([checks, asked()]).toEqual([1, before]);
  world.now += 61_000;
  await both.check(target, signal);
  expect(checks).toBe(2);
  expect(asked()).toBeGreaterThan(before);
});

test('a provider that never comes back is left after its time, and the others go on', async () => {
  await serveAll();
  const deaf = { ...slots, provider: { check: () => new Promise(() => undefined) } } as unknown as BoundProvider;
  const target = { names: ['www.example.com'], providers: [deaf] };
  const { findings } = await preflight(target, { ...options(), checkTimeoutMs: 400, signal });
  expect(byId(findings)).toMatchObject({
    'provider-reachable acmedns "a"': 'unknown: acmedns "a": this took longer than 0.4 s and was left.',
    'challenge-name www.example.com': expect.stringMatching(/^ok: /),
  });
});
