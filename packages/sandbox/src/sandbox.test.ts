import { inspect } from 'node:util';
import { exchange, toDnsName } from '@zoneproof/dns';
import { type Sandbox, startSandbox } from './sandbox.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.close());

describe('finding the authoritative servers as in the world', () => {
  test.each([
    ['example.test', ['ns1.example.test 127.0.0.1', 'ns2.example.test 127.0.0.2']],
    ['child.example.test', ['ns1.example.test 127.0.0.1', 'ns2.example.test 127.0.0.2']],
    ['shop.test', ['ns1.example.test 127.0.0.1', 'ns2.example.test 127.0.0.2']],
    ['auth.example.test', ['auth.example.test 127.0.0.3']],
  ])('%s: NS, their addresses, and AA from each at port 53', async (zone, expected) => {
    for (const resolver of sandbox.resolvers) {
      const hosts = (await ask(zone, 'NS', resolver)).answers.flatMap((record) =>
        record.type === 'NS' ? [record.data] : [],
      );
      const found: string[] = [];
      for (const host of hosts) {
        const { answers } = await ask(host, 'A', resolver);
        for (const record of answers) {
          if (record.type !== 'A') continue;
          found.push(`${host} ${record.data}`);
          const soa = await ask(zone, 'SOA', { address: record.data, port: 53 }, false);
          expect([soa.aa, soa.answers[0]?.name]).toEqual([true, zone]);
        }
      }
      expect(found.sort()).toEqual(expected);
    }
  });

  test('a resolver follows CNAMEs over delegations and reports what is missing', async () => {
    const [resolver] = sandbox.resolvers;
    const missing = await ask('_acme-challenge.app.example.test', 'TXT', resolver!);
    expect([missing.rcode, missing.ra, missing.aa, missing.answers.length]).toEqual(['NXDOMAIN', true, false, 1]);
    sandbox.dns.set({ name: 'alias-challenge.shop.test', type: 'TXT', value: 'v' });
    const found = await ask('_acme-challenge.alias.example.test', 'TXT', resolver!);
    expect(found.answers.map((record) => record.type)).toEqual(['CNAME', 'TXT']);
  });

  test('more zones are delegated from the ones above them, and mirror what a service publishes', async () => {
    const wide = await startSandbox({ zones: ['b.example.test', 'a.b.example.test', 'other.test'] });
    try {
      const name = '_acme-challenge.a.b.example.test';
      wide.dns.setTxt(name, ['one', 'two'], 120);
      wide.dns.setTxt(name, ['two', 'three'], 120);
      expect(wide.dns.values(name)).toEqual(['two', 'three']);
      const { message } = await exchange({ name: toDnsName('a.b.example.test'), type: 'NS' }, wide.resolvers[0]!, {
        transport: wide.transport,
        rd: true,
        signal: AbortSignal.timeout(5_000),
      });
      expect(message.answers).toHaveLength(2);
      expect([wide.dns.serial('a.b.example.test'), wide.dns.serial('example.test')]).toEqual([3, 1]);
      wide.dns.setTxt(name, []);
      expect(wide.dns.values(name)).toEqual([]);
      wide.dns.setTxt('x.other.test', ['v']);
    } finally {
      await wide.close();
    }
  });

  test('nobody serves it, or nobody answers: SERVFAIL', async () => {
    const [resolver] = sandbox.resolvers;
    expect((await ask('example.com', 'A', resolver!)).rcode).toBe('SERVFAIL');
    sandbox.dns.set({ name: 'lame.example.test', type: 'NS', value: 'ns1.example.test' });
    expect((await ask('x.lame.example.test', 'A', resolver!)).rcode).toBe('SERVFAIL');
  });

  test('each resolver prefers another server', async () => {
    for (const resolver of sandbox.resolvers) await ask('x.example.test', 'TXT', resolver);
    const asked = sandbox.dns.queries.filter((query) => query.name === 'x.example.test').map((query) => query.server);
    expect(asked).toEqual(sandbox.dns.endpoints.map((endpoint) => endpoint.server));
  });
});

test('the manifests carry the real ports, the root and the credentials', () => {
  const manifests = sandbox.manifests();
  expect(Object.keys(manifests)).toEqual(['issuer.yaml', 'secrets.yaml', 'certificates.yaml']);
  const issuer = manifests['issuer.yaml']!;
  expect(issuer).toContain(`server: ${sandbox.ca.directoryUrl}\n`);
  expect(issuer).toContain(`nameserver: 127.0.0.1:${sandbox.dns.server.port}\n`);
  expect(issuer).toContain(`host: ${sandbox.acmeDns.url}\n`);
  expect(issuer.replaceAll(/^ {6}/gm, '')).toContain(sandbox.ca.rootPem);
  expect(manifests['secrets.yaml']).toContain(Buffer.from(sandbox.tsigKey.secret).toString('base64'));
  expect(manifests['secrets.yaml']).toContain(sandbox.acmeDnsAccount.password);
});

test('the TSIG secret does not print', () => {
  const secret = Buffer.from(sandbox.tsigKey.secret);
  const printed = inspect(sandbox, { depth: 10 }) + JSON.stringify(sandbox);
  expect(printed).not.toContain(secret.toString('base64'));
  expect(printed).not.toContain(secret.subarray(0, 4).join(', '));
});

test('two sandboxes side by side know nothing of each other', async () => {
  const other = await startSandbox();
  try {
    other.dns.set({ name: 'x.example.test', type: 'TXT', value: 'v' });
    expect([other.dns.values('x.example.test'), sandbox.dns.values('x.example.test')]).toEqual([['v'], []]);
    expect(other.ca.rootPem).not.toBe(sandbox.ca.rootPem);
  } finally {
    await other.close();
  }
});

async function ask(
  name: string,
  type: 'NS' | 'A' | 'TXT' | 'SOA',
  server: { address: string; port: number },
  rd = true,
) {
  const options = { transport: sandbox.transport, signal: AbortSignal.timeout(5000), rd };
  return (await exchange({ name: toDnsName(name), type }, server, options)).message;
}
