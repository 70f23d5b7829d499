import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { jest } from '@jest/globals';
import { createEgress, type Egress, type LookupHostAddresses } from '@zoneproof/core';
import { mapTransport, systemTransport } from '@zoneproof/dns';
import acmedns from '@zoneproof/provider-acmedns';
import edgedns from '@zoneproof/provider-edgedns';
import fastdns from '@zoneproof/provider-fastdns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import routedns from '@zoneproof/provider-routedns';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import type { ManifestObject } from '../manifests/index.ts';
import { addressRule, createTenancy, everythingAllowed, parseAllowedEndpoints, parseCidrs } from '../tenancy/index.ts';
import { type Standalone, startStandalone } from './standalone.ts';

jest.setTimeout(30_000);

/** Where no tenant may lead the controller: it takes connections and datagrams, and counts them. */
interface Trap {
  readonly port: number;
  count(): number;
  close(): Promise<void>;
}

const trapAddress = '127.0.0.66';

async function startTrap(): Promise<Trap> {
  let count = 0;
  const tcp = createServer((socket) => {
    count++;
    socket.destroy();
  });
  tcp.listen(0, trapAddress);
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', () => count++);
  udp.bind(port, trapAddress);
  await once(udp, 'listening');
  return {
    port,
    count: () => count,
    close: async () => {
      await Promise.all([new Promise((done) => tcp.close(done)), new Promise<void>((done) => udp.close(() => done()))]);
    },
  };
}

let sandbox: Sandbox;
let trap: Trap;
let running: Standalone | undefined;
const egresses: Egress[] = [];

beforeAll(async () => {
  [sandbox, trap] = await Promise.all([startSandbox(), startTrap()]);
  // A tenant's zone: one of its servers is where no tenant may look.
  sandbox.dns.set({ name: 'shop.test', type: 'NS', value: 'ns3.shop.test' });
  sandbox.dns.set({ name: 'ns3.shop.test', type: 'A', value: trapAddress });
});

afterEach(async () => {
  await running?.remove();
  await Promise.all(egresses.splice(0).map((egress) => egress.close()));
  running = undefined;
});

afterAll(() => Promise.all([sandbox.close(), trap.close()]));

/** What the names of tenants stand for: the trap, and two addresses at once. */
const lookup: LookupHostAddresses = (host, _options, callback) => {
  const addresses = host === 'many.test' ? ['64:ff9b::7f00:42', trapAddress] : [trapAddress];
  callback(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};

/**
 * A controller whose Issuers are tenants'. The sandbox is on loopback, too: its own two addresses are free here, as
 * hosts of `--allowed-endpoints` are; the trap's is not.
 */
async function run(objects: readonly object[], how: { free?: true; lie?: Lie } = {}): Promise<Standalone> {
  const transport = mapTransport(
    systemTransport,
    new Map([...sandbox.transportMap, [`${trapAddress}:53`, { address: trapAddress, port: trap.port }]]),
  );
  const allowed = parseAllowedEndpoints('127.0.0.1 127.0.0.2 127.0.0.3');
  const egress = createEgress({ dns: transport, lookup });
  const rule = addressRule({ deniedCidrs: parseCidrs(''), allowed, apiServer: () => new Set() });
  const ruledEgress = createEgress({ dns: transport, lookup, addressRule: rule });
  egresses.push(egress, ruledEgress);
  const tenants = {
    egress,
    ruledEgress: how.lie === undefined ? ruledEgress : lyingCa(ruledEgress, how.lie),
    ambientCredentials: false,
    allowedEndpoints: allowed,
  };
  const tenancy = how.free ? everythingAllowed(egress) : createTenancy(tenants);
  const { 'secrets.yaml': secrets = '' } = sandbox.manifests();
  running = await startStandalone({
    manifests: { 'secrets.yaml': secrets },
    transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, acmedns, edgedns, fastdns, routedns],
    tenancy,
  });
  // As an API server would take them: checks that only look at what is written are not what is shown here.
  await running.store.applyManifests(objects as ManifestObject[]);
  return running;
}

type Lie = (directory: string) => string;

/** The sandbox's CA with another directory. */
function lyingCa(egress: Egress, lie: Lie): Egress {
  return {
    ...egress,
    async http(request) {
      const answer = await egress.http(request);
      if (request.url !== sandbox.ca.directoryUrl) return answer;
      return { ...answer, body: Buffer.from(lie(Buffer.from(answer.body).toString())) };
    },
    withCaBundle: (pem) => lyingCa(egress.withCaBundle(pem), lie),
  };
}

const source = { file: 'hostile.yaml', line: 1 };
const secret = (name: string, data: Record<string, string>): object => ({
  ...{ kind: 'Secret', namespace: 'default', name, source },
  spec: { data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])) },
});
const secrets = () => [
  secret('any', { a: 'not-a-real-secret', b: 'not-a-real-secret', c: 'not-a-real-secret' }),
  secret('tsig', { secret: Buffer.from(sandbox.tsigKey.secret).toString('base64') }),
  secret('accounts', { json: JSON.stringify({ 'app.example.test': { ...sandbox.acmeDnsAccount, allowfrom: [] } }) }),
];

interface Hostile {
  readonly kind?: 'Issuer' | 'ClusterIssuer';
  readonly server?: string;
  readonly provider?: object;
  readonly selfCheck?: object;
}

const issuer = ({ kind = 'Issuer', server, provider, selfCheck }: Hostile): object => ({
  ...{ kind, namespace: kind === 'Issuer' ? 'default' : '', name: 'ca', source },
  spec: {
    acme: {
      server: server ?? sandbox.ca.directoryUrl,
      caBundle: sandbox.ca.rootPem,
      privateKeySecretRef: { name: 'account' },
      dns01: { providers: [{ name: 'p', ...(provider ?? own()) }], ...(selfCheck && { selfCheck }) },
    },
  },
});
const own = (): object => ({
  rfc2136: {
    nameserver: `127.0.0.1:${sandbox.dns.endpoints[0]?.server.port}`,
    tsigKeyName: 'acme-update',
    tsigAlgorithm: 'HMACSHA256',
    tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
  },
});
const certificate = (name: string, kind = 'Issuer'): object => ({
  ...{ kind: 'Certificate', namespace: 'default', name: 'www', source },
  spec: { secretName: 'www-tls', dnsNames: [name], issuerRef: { name: 'ca', kind } },
});

async function seen<T>(look: () => T | undefined): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not seen: ${JSON.stringify(running?.reports.slice(-4))}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ready = (kind: 'Issuer' | 'ClusterIssuer') => {
  const found = running?.store.get(kind, kind === 'Issuer' ? 'default' : '', 'ca');
  return found?.status.conditions?.find(({ type }) => type === 'Ready');
};
const provider = () => running?.store.get('Issuer', 'default', 'ca')?.status.providers?.[0];
const at = (host: string) => `https://${host}:${trap.port}`;
/** What must not stand in any status. */
const nothingElse = expect.not.stringMatching(/not-a-real-secret|HTTP|ECONN/);

test.each<[string, () => string, RegExp]>([
  ['a loopback address', () => `${at(trapAddress)}/dir`, /127\.0\.0\.66 may not be connected to: it is a loopback address/],
  ['the same in disguise', () => `${at('[::ffff:127.0.0.66]')}/dir`, /may not be connected to: it is a loopback address/],
  ['the same through NAT64', () => `${at('[64:ff9b::7f00:42]')}/dir`, /it leads to 127\.0\.0\.66: it is a loopback address/],
  ['the same as a number', () => `${at('2130706498')}/dir`, /it is a loopback address/],
  ['a name that stands for it', () => `${at('evil.test')}/dir`, /evil\.test \(127\.0\.0\.66\) may not be connected to/],
  ['a name with several addresses, all of them such', () => `${at('many.test')}/dir`, /it leads to 127\.0\.0\.66: it is a loopback address/],
  ['localhost', () => `${at('localhost')}/dir`, /localhost .*may not be connected to/],
  ['a metadata service', () => 'https://169.254.169.254/latest/meta-data', /link-local address, where metadata services are/],
  ['an unspecified address', () => `${at('0.0.0.0')}/dir`, /an unspecified address/],
])('the server of the CA at %s is not asked', async (_where, server, told) => {
  await run([...secrets(), issuer({ server: server() })]);
  const { reason, status, message } = await seen(() => ready('Issuer'));
  expect([status, reason, message]).toEqual(['False', 'AddressNotAllowed', expect.stringMatching(told)]);
  expect(message).toEqual(nothingElse);
  expect(trap.count()).toBe(0);
}); // biome-ignore format: one table

test.each([
  ['newNonce', 'evil.test'],
  ['newAccount', trapAddress],
])('a CA that may be asked leads nowhere else by its %s', async (resource, host) => {
  const lie = (directory: string): string => JSON.stringify({ ...JSON.parse(directory), [resource]: `${at(host)}/x` });
  await run([...secrets(), issuer({})], { lie });
  const { reason, message } = await seen(() => ready('Issuer'));
  expect([reason, message]).toEqual(['AddressNotAllowed', expect.stringContaining('may not be connected to')]);
  expect(trap.count()).toBe(0);
});

const ref = (key: string) => ({ name: 'any', key });
test.each<[string, () => object, string, RegExp]>([
  ['the server of rfc2136', () => ({ rfc2136: { nameserver: `${trapAddress}:${trap.port}` } }), 'AddressNotAllowed', /127\.0\.0\.66.* it is a loopback address/],
  ['the same by IPv6', () => ({ rfc2136: { nameserver: `[::ffff:7f00:42]:${trap.port}` } }), 'AddressNotAllowed', /it is a loopback address/],
  ['a metadata service as a name server', () => ({ rfc2136: { nameserver: '169.254.169.254' } }), 'AddressNotAllowed', /link-local/],
  ['the host of acmedns', () => ({ acmedns: { host: at('evil.test'), accountSecretRef: { name: 'accounts', key: 'json' } } }), 'AddressNotAllowed', /evil\.test \(127\.0\.0\.66\)/],
  ['the host of fastdns', () => ({ fastdns: { serviceConsumerDomain: 'evil.test', clientTokenSecretRef: ref('a'), clientSecretSecretRef: ref('b'), accessTokenSecretRef: ref('c') } }), 'AddressNotAllowed', /evil\.test/],
  ['an endpoint', () => ({ edgedns: { apiTokenSecretRef: ref('a'), endpoint: `${at('evil.test')}/client/v4` } }), 'EndpointNotAllowed', /endpoint evil\.test:\d+ is not one/],
  ['a caBundle for a service', () => ({ edgedns: { apiTokenSecretRef: ref('a'), caBundle: sandbox.ca.rootPem } }), 'EndpointNotAllowed', /caBundle is for the service itself/],
  ['credentials of the controller', () => ({ routedns: { region: 'eu-central-1' } }), 'AmbientCredentialsNotAllowed', /it names no Secret/],
])('%s: a provider is not used so', async (_what, block, reason, told) => {
  await run([...secrets(), issuer({ provider: block() })]);
  const found = await seen(provider);
  expect([found.ready, found.reason, found.message]).toEqual([false, reason, expect.stringMatching(told)]);
  expect(found.message).toEqual(nothingElse);
  expect(trap.count()).toBe(0);
}); // biome-ignore format: one table

test.each<[string, () => string]>([
  ['plain', () => `${trapAddress}:${trap.port}`],
  ['over TLS', () => `tls://evil.test:${trap.port}`],
  ['over HTTPS', () => `${at('evil.test')}/dns-query`],
])('servers of the self check are not asked, %s', async (_how, server) => {
  await run([...secrets(), issuer({ selfCheck: { nameservers: [server()] } }), certificate('www.example.test')]);
  const waiting = await seen(() => running?.store.list('Order')[0]?.status.waiting);
  expect(waiting.reason).toBe('AddressNotAllowed');
  expect(waiting.message).toMatch(/may not be connected to: it is a loopback address/);
  expect(trap.count()).toBe(0);
});

test.each(['Issuer', 'ClusterIssuer'] as const)('servers that a zone names are not asked for an %s', async (kind) => {
  const { controller, store } = await run([...secrets(), issuer({ kind }), certificate('www.shop.test', kind)]);
  await controller.settled();
  // The other servers have the value: it is issued, and the evidence says why one was left out.
  const servers = store.list('Order')[0]?.status.challenges?.[0]?.evidence?.servers ?? [];
  expect(servers.find(({ address }) => address === trapAddress)).toMatchObject({
    finding: 'unreachable',
    detail: expect.stringContaining('may not be connected to: it is a loopback address'),
  });
  expect(store.get('Certificate', 'default', 'www')?.status.serial).toBeDefined();
  expect(trap.count()).toBe(0);
});

test('the rule is all that stands in the way: without it the traps are sprung', async () => {
  await run([...secrets(), issuer({ server: `${at('evil.test')}/dir` })], { free: true });
  expect((await seen(() => ready('Issuer'))).reason).toBe('CAUnavailable');
  const connections = trap.count();
  expect(connections).toBeGreaterThan(0);
  await running?.remove();
  await run([...secrets(), issuer({}), certificate('www.shop.test')], { free: true });
  await seen(() => (trap.count() > connections ? true : undefined));
});

test('what is as it should be works for tenants as for everybody', async () => {
  const { controller, store } = await run([...secrets(), issuer({}), certificate('www.example.test')]);
  await controller.settled();
  const conditions = store.get('Certificate', 'default', 'www')?.status.conditions;
  expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True', reason: 'Issued' });
});
