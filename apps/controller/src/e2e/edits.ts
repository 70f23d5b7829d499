import { jest } from '@jest/globals';
import acmedns from '@zoneproof/provider-acmedns';
import rfc2136 from '@zoneproof/provider-rfc2136';
import { type Sandbox, startAcmeCa, startSandbox } from '@zoneproof/sandbox';
import type { CertificateSpec, Order } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import type { Standalone, StandaloneOptions } from './standalone.ts';

/** A controller on manifests that a person edits. */
export interface EditedHome extends Pick<Standalone, 'controller' | 'reports'> {
  readonly store: Store;
  /** Replaces the manifests; resolves when the store shows it. */
  edit(manifests: Manifests): Promise<void>;
  remove(): Promise<void>;
}

let start: (options: StandaloneOptions) => Promise<EditedHome>;
/** That of the test which runs. */
export let sandbox: Sandbox;
let running: EditedHome | undefined;

type Manifests = Readonly<Record<string, string>>;

export const certificate = (name: string, spec: Partial<CertificateSpec> = {}): Manifests => ({
  [`${name}.json`]: JSON.stringify({
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name },
    spec: {
      secretName: `${name}-tls`,
      dnsNames: [`${name}.example.test`],
      issuerRef: { name: 'sandbox' },
      dns01: [{ provider: 'rfc2136', domains: [`${name}.example.test`] }],
      ...spec,
    },
  }),
});

/** The sandbox's Issuer and Secrets. */
export function basis(edit: (issuer: string) => string = (issuer) => issuer): Manifests {
  const { 'certificates.yaml': _replaced, 'issuer.yaml': issuer, ...secrets } = sandbox.manifests();
  return { ...secrets, 'issuer.yaml': edit(issuer as string) };
}

export async function run(manifests: Manifests): Promise<EditedHome> {
  const { transport, resolvers } = sandbox;
  running = await start({ manifests, transport, resolvers, plugins: [rfc2136, acmedns] });
  return running;
}

/** A person edits the manifests. */
export async function edit(manifests: Manifests): Promise<void> {
  await running?.edit(manifests);
}

async function seen<T>(look: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + 8_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline)
      throw new Error(
        `not seen: ${JSON.stringify([running?.reports.slice(-6), running?.store.list('Order').map(({ status }) => status)])}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const statusOf = (name: string) => running?.store.get('Certificate', 'default', name)?.status;
const readiness = (name: string) => statusOf(name)?.conditions?.find(({ type }) => type === 'Ready');
export const issued = (name: string) =>
  seen(() => readiness(name)?.status === 'True' && readiness(name)?.reason === 'Issued');
const ordersOf = (name: string): readonly Order[] =>
  (running?.store.list('Order') ?? []).filter(({ metadata }) => metadata.owner?.name === name);
const waiting = (name: string, reason: string) =>
  seen(() => ordersOf(name).some(({ status }) => status.waiting?.reason === reason));
const values = (name: string) => sandbox.dns.values(`_acme-challenge.${name}.example.test`);
const clean = (name: string) => seen(() => values(name).length === 0);

/** What becomes of the edits of a person, in each home of zoneproof; `ofThisHome`: tests of one alone. */
export function describeEdits(title: string, startHome: typeof start, ofThisHome = (): void => {}): void {
  describe(title, () => {
    jest.setTimeout(20_000);
    beforeAll(() => {
      start = startHome;
    });
    beforeEach(async () => {
      sandbox = await startSandbox();
    });

    afterEach(async () => {
      await running?.remove();
      await sandbox.close();
      running = undefined;
    });

    describe('while an Order runs', () => {
      test('a provider whose credentials are corrected is used as it is now', async () => {
        const broken = basis((issuer) => issuer.replace('tsigKeyName: acme-update', 'tsigKeyName: acme-updat'));
        await run({ ...broken, ...certificate('www') });
        await waiting('www', 'CredentialsRefused');
        await edit({ ...basis(), ...certificate('www') });
        await issued('www');
        await clean('www');
      });

      test('a provider named in the Certificate takes the place of a choice that was not clear', async () => {
        const { 'issuer.yaml': issuer = '', ...others } = basis((text) =>
          text.replace(/ {8}- name: acmedns[\s\S]*/, ''),
        );
        const block = /- name: rfc2136\n[\s\S]*/.exec(issuer)?.[0] ?? '';
        const second = block.replace('name: rfc2136', 'name: other');
        const both = { ...others, 'issuer.yaml': `${issuer.trimEnd()}\n        ${second}` };
        await run({ ...both, ...certificate('www', { dns01: [] }) });
        await waiting('www', 'ProviderNotChosen');
        await edit({ ...both, ...certificate('www') });
        await issued('www');
      });

      test('values written before the credentials moved to another Secret are taken away with the new one', async () => {
        sandbox.ca.faults.add({ at: 'challenge', problem: 'unavailable', times: 99 });
        await run({ ...basis(), ...certificate('www') });
        await seen(() => values('www').length > 0);
        const moved = basis((issuer) => issuer.replace('name: rfc2136-tsig', 'name: other-tsig'));
        const secrets = (moved['secrets.yaml'] ?? '').replace('name: rfc2136-tsig', 'name: other-tsig');
        await edit({ ...moved, 'secrets.yaml': secrets });
        await clean('www');
      });

      test('another server of the Issuer means another order there', async () => {
        const { resolvers, transport } = sandbox;
        const ca = await startAcmeCa({ dns: { resolvers, transport } });
        try {
          sandbox.dns.updateFault = 'REFUSED';
          await run({ ...basis(), ...certificate('www') });
          await waiting('www', 'PermissionDenied');
          sandbox.dns.updateFault = undefined;
          const pem = ca.rootPem.trimEnd().replace(/^/gm, '      ');
          const moved = basis((issuer) =>
            issuer
              .replace(sandbox.ca.directoryUrl, ca.directoryUrl)
              .replace(/caBundle: \|[\s\S]*? {4}privateKey/, `caBundle: |\n${pem}\n    privateKey`),
          );
          await edit({ ...moved, ...certificate('www') });
          await issued('www');
          expect(ca.counts.certificates).toBe(1);
          await clean('www');
          expect(running?.reports.filter(({ reason }) => reason === 'InternalError')).toEqual([]);
        } finally {
          await ca.close();
        }
      });

      test('another account key of the Issuer means another order of that account', async () => {
        sandbox.dns.updateFault = 'REFUSED';
        await run({ ...basis(), ...certificate('www') });
        await waiting('www', 'PermissionDenied');
        sandbox.dns.updateFault = undefined;
        const renamed = basis((issuer) => issuer.replace('name: sandbox-account-key', 'name: other-account-key'));
        await edit({ ...renamed, ...certificate('www') });
        await issued('www');
        expect(sandbox.ca.counts.accounts).toBe(2);
        expect(running?.reports.filter(({ reason }) => reason === 'InternalError')).toEqual([]);
      });

      test('an Issuer that is removed is told of, and when it comes back all goes on', async () => {
        sandbox.dns.updateFault = 'REFUSED';
        const { controller } = await run({ ...basis(), ...certificate('www') });
        await waiting('www', 'PermissionDenied');
        sandbox.dns.updateFault = undefined;
        await running?.store.delete({ kind: 'Issuer', namespace: 'default', name: 'sandbox' });
        await seen(() => readiness('www')?.reason === 'IssuerNotFound');
        await controller.settled();
        await edit({ ...basis(), ...certificate('www') });
        await issued('www');
      });

      test('an Issuer that is removed stays until the values written through it are gone', async () => {
        sandbox.ca.faults.add({ at: 'challenge', problem: 'unavailable', times: 99 });
        const { store } = await run({ ...basis(), ...certificate('www') });
        await seen(() => values('www').length > 0);
        sandbox.dns.updateFault = 'SERVFAIL';
        const issuer = () => store.get('Issuer', 'default', 'sandbox');
        await store.delete({ kind: 'Issuer', namespace: 'default', name: 'sandbox' });
        await seen(() => ordersOf('www').some(({ status }) => status.cleanUp !== undefined));
        expect(issuer()?.metadata.deletedAt).toBeDefined();
        sandbox.dns.updateFault = undefined;
        await clean('www');
        await seen(() => issuer() === undefined);
        await seen(() => readiness('www')?.reason === 'IssuerNotFound');
        expect(running?.reports.filter(({ reason }) => reason === 'CleanUpAbandoned')).toEqual([]);
      });

      test('a Certificate that is removed and comes back while values are taken away is issued anew', async () => {
        sandbox.ca.faults.add({ at: 'challenge', problem: 'unavailable', times: 9 });
        await run({ ...basis(), ...certificate('www') });
        await seen(() => values('www').length > 0);
        sandbox.dns.updateFault = 'REFUSED';
        await edit(basis());
        await seen(() => ordersOf('www').some(({ status }) => status.cleanUp !== undefined));
        // Its successor waits for it, and what a person changes makes it be tried again.
        sandbox.dns.updateFault = undefined;
        sandbox.ca.faults.clear();
        await edit({ ...basis(), ...certificate('www') });
        await issued('www');
      });
    });

    describe('at a Certificate that has been issued', () => {
      test('another renewBefore holds at once', async () => {
        await run({ ...basis(), ...certificate('www') });
        await issued('www');
        const { notAfter = 0, notBefore = 0 } = statusOf('www') ?? {};
        await edit({ ...basis(), ...certificate('www', { renewBefore: '1h' }) });
        await seen(() => statusOf('www')?.renewAt === notAfter - 3_600_000);
        expect(statusOf('www')?.notBefore).toBe(notBefore);
      });

      test('a name that cannot be added leaves it not Ready, though the old one stays', async () => {
        const { controller } = await run({ ...basis(), ...certificate('www') });
        await issued('www');
        sandbox.ca.faults.add({ at: 'validation', name: 'bad.example.test', problem: 'unauthorized', times: 9 });
        const dnsNames = ['www.example.test', 'bad.example.test'];
        await edit({
          ...basis(),
          ...certificate('www', { dnsNames, dns01: [{ provider: 'rfc2136', domains: dnsNames }] }),
        });
        await seen(() => statusOf('www')?.lastFailure?.reason === 'ValidationFailed');
        await controller.settled();
        expect(readiness('www')).toMatchObject({ status: 'False', reason: 'ValidationFailed' });
      });
    });

    test('a Secret that is not ours is told of, and nobody waits for it for ever', async () => {
      const { controller, store } = await run(basis());
      await store.writeSecret({ namespace: 'default', name: 'www-tls' }, { type: 'Opaque', data: { a: 'b' } });
      await edit({ ...basis(), ...certificate('www') });
      await controller.settled();
      expect(readiness('www')).toMatchObject({ status: 'False', reason: 'SecretNotOurs' });
    });

    test('a challenge name that leads elsewhere by now is followed, and the value written there', async () => {
      const name = '_acme-challenge.www.example.test';
      sandbox.ca.faults.add({ at: 'challenge', problem: 'unavailable', times: Number.POSITIVE_INFINITY });
      await run({ ...basis(), ...certificate('www') });
      await waiting('www', 'CAUnavailable');
      sandbox.dns.remove({ name, type: 'TXT' });
      sandbox.dns.set({ name, type: 'CNAME', value: 'www-challenge.shop.test' });
      sandbox.ca.faults.clear();
      await issued('www');
      await seen(() => sandbox.dns.values('www-challenge.shop.test').length === 0);
    });

    ofThisHome();
  });
}
