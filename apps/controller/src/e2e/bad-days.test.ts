import { jest } from '@jest/globals';
import acmedns from '@zoneproof/provider-acmedns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, type SandboxOptions, startSandbox } from '@zoneproof/sandbox';
import type { CertificateStatus, OrderStatus } from '../resources/types.ts';
import { type Standalone, startStandalone } from './standalone.ts';

jest.setTimeout(20_000);

let sandbox: Sandbox;
let running: Standalone | undefined;

afterEach(async () => {
  await running?.remove();
  await sandbox.close();
  running = undefined;
});

const certificate = (name: string, dnsNames: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name },
    spec: {
      secretName: `${name}-tls`,
      dnsNames,
      issuerRef: { name: 'sandbox' },
      dns01: [{ provider: dnsNames[0] === 'app.example.test' ? 'acmedns' : 'rfc2136', domains: dnsNames }],
    },
  });

async function prepare(options: SandboxOptions = {}): Promise<Sandbox> {
  sandbox = await startSandbox(options);
  return sandbox;
}

async function run(...certificates: readonly (readonly [string, readonly string[]])[]): Promise<Standalone> {
  const { 'certificates.yaml': _replaced, ...manifests } = sandbox.manifests();
  running = await startStandalone({
    manifests: {
      ...manifests,
      ...Object.fromEntries(certificates.map(([name, names]) => [`${name}.json`, certificate(name, names)])),
    },
    transport: sandbox.transport,
    resolvers: sandbox.resolvers,
    plugins: [rfc2136, acmedns],
  });
  return running;
}

/** Waits for the picture; a test that does not see it within ten seconds fails with what there was. */
async function seen<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline)
      throw new Error(
        `not seen: ${JSON.stringify([running?.reports.slice(-6), running?.store.list('Order').map(({ status }) => status.waiting)])}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const statusOf = (name: string): CertificateStatus | undefined =>
  running?.store.get('Certificate', 'default', name)?.status;
const orderOf = (name: string): OrderStatus | undefined => running?.store.get('Order', 'default', `${name}-1`)?.status;
const readiness = (name: string) => statusOf(name)?.conditions?.find(({ type }) => type === 'Ready');
const issued = (name: string) => seen(() => readiness(name)?.status === 'True');
const waiting = (name: string, reason: string) =>
  seen(() => orderOf(name)?.waiting?.reason === reason && orderOf(name)?.waiting);
const failed = (name: string, reason: string) =>
  seen(() => statusOf(name)?.lastFailure?.reason === reason && statusOf(name)?.lastFailure);

describe('the CA', () => {
  test('is down: the Issuer says so and when to look again, and all goes on when it is back', async () => {
    await prepare();
    const mend = sandbox.ca.faults.add({ at: 'directory', problem: 'unavailable', times: Number.POSITIVE_INFINITY });
    const { store } = await run(['www', ['www.example.test']]);
    const issuer = () => store.get('Issuer', 'default', 'sandbox')?.status.conditions?.[0];
    expect(await seen(issuer)).toMatchObject({ status: 'False', reason: 'CAUnavailable' });
    expect(await seen(() => readiness('www'))).toMatchObject({ status: 'False', reason: 'IssuerNotReady' });
    mend();
    await issued('www');
    expect(sandbox.ca.counts.accounts).toBe(1);
  });

  test('refuses half of the nonces', async () => {
    await prepare();
    sandbox.ca.settings.nonceRejectPercent = 50;
    await run(['www', ['www.example.test']]);
    await issued('www');
    expect(sandbox.ca.counts.badNonces).toBeGreaterThan(0);
  });

  test('cannot validate one name: that Order fails with the name and a next time, its value goes, and others are issued', async () => {
    await prepare();
    sandbox.ca.faults.add({
      at: 'validation',
      name: 'bad.example.test',
      problem: 'unauthorized',
      detail: 'No TXT record found',
    });
    await run(['bad', ['bad.example.test']], ['good', ['good.example.test']]);
    const failure = await failed('bad', 'ValidationFailed');
    expect(failure.message).toContain('bad.example.test');
    expect(failure.message).toContain('No TXT record found');
    expect(failure.retryAt - failure.at).toBeGreaterThanOrEqual(60_000);
    await issued('good');
    await seen(() => (orderOf('bad')?.ledger ?? []).length === 0);
    expect(sandbox.dns.values('_acme-challenge.bad.example.test')).toEqual([]);
  });

  test('limits the rate with Retry-After: the Order waits for just that long', async () => {
    await prepare();
    sandbox.ca.faults.add({ at: 'newOrder', problem: 'rateLimited', detail: 'too many', retryAfter: 3 });
    const before = Date.now();
    await run(['www', ['www.example.test']]);
    const wait = await waiting('www', 'CARateLimited');
    expect(wait.until).toBeGreaterThanOrEqual(before + 3_000);
    await issued('www');
  });

  test('limits the rate without Retry-After: a person is needed, and it is tried again in a day', async () => {
    await prepare();
    sandbox.ca.faults.add({
      at: 'newOrder',
      problem: 'rateLimited',
      detail: 'paused; unpause at https://ca.test/unpause',
    });
    await run(['www', ['www.example.test']]);
    const wait = await waiting('www', 'CAPaused');
    expect(wait.message).toContain('https://ca.test/unpause');
    expect((wait.until ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  test('is forbidden by CAA', async () => {
    await prepare();
    sandbox.ca.faults.add({
      at: 'validation',
      problem: 'caa',
      detail: 'CAA record for example.test prevents issuance',
    });
    await run(['www', ['www.example.test']]);
    expect((await failed('www', 'CAAForbids')).message).toContain('CAA record for example.test');
  });

  test('gives one order to two Certificates of the same names: both are issued in the end', async () => {
    await prepare();
    sandbox.ca.settings.authzReuse = 'all';
    await run(['one', ['www.example.test']], ['two', ['www.example.test']]);
    await issued('one');
    await issued('two');
    expect(sandbox.ca.counts.certificates).toBe(2);
    await seen(() => sandbox.dns.values('_acme-challenge.www.example.test').length === 0);
  });

  test.each(['newAccount', 'newOrder', 'challenge', 'finalize', 'certificate'] as const)(
    'loses its answer to %s: nothing is done twice',
    async (at) => {
      await prepare();
      sandbox.ca.faults.add({ at, problem: 'dropped' });
      await run(['www', ['www.example.test']]);
      await issued('www');
      expect(sandbox.ca.counts.accounts).toBe(1);
      expect(sandbox.ca.counts.certificates).toBe(1);
    },
  );
});

describe('the name server', () => {
  test.each([
    ['REFUSED', 'PermissionDenied'],
    ['NOTAUTH', 'ZoneNotFound'],
    ['SERVFAIL', 'ProviderUnavailable'],
    ['ignored', 'ProviderUnavailable'],
  ] as const)('answers updates with %s: %s, with a next step and a next time', async (fault, reason) => {
    await prepare();
    sandbox.dns.updateFault = fault;
    const { controller } = await run(['www', ['www.example.test']], ['app', ['app.example.test']]);
    const wait = await waiting('www', reason);
    expect(wait.message).toContain('rfc2136');
    expect(wait.message).toMatch(/example\.test/);
    expect(wait.until).toBeGreaterThan(Date.now());
    // Another provider of the same Issuer is not held up.
    await issued('app');
    sandbox.dns.updateFault = undefined;
    controller.reload();
    await issued('www');
  });

  test('has another time than we: the signature is made again with its time', async () => {
    await prepare();
    sandbox.dns.skewMs = 900_000;
    await run(['www', ['www.example.test']]);
    await issued('www');
  });

  test('carries an update out and loses its answer: the value is found there and taken away in the end', async () => {
    await prepare();
    sandbox.dns.updateFault = 'lost';
    await run(['www', ['www.example.test']]);
    await seen(() => sandbox.dns.values('_acme-challenge.www.example.test').length > 0);
    sandbox.dns.updateFault = undefined;
    await issued('www');
    await seen(() => sandbox.dns.values('_acme-challenge.www.example.test').length === 0);
  }, 20_000);
});

test('a certificate whose Secret was damaged is made again', async () => {
  await prepare();
  const { store, controller } = await run(['www', ['www.example.test']]);
  await issued('www');
  const serial = statusOf('www')?.serial;
  const owner = { kind: 'Certificate', name: 'www', uid: '' } as const;
  await store.writeSecret(
    { namespace: 'default', name: 'www-tls', owner },
    { type: 'kubernetes.io/tls', data: { 'tls.crt': 'x', 'tls.key': 'y' } },
  );
  controller.reload();
  await seen(() => statusOf('www')?.serial !== serial && readiness('www')?.status === 'True');
});
