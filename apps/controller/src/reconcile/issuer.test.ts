import { systemRandom } from '@zoneproof/core';
import type { Issuer } from '../resources/types.ts';
import { SecretUnreadableError } from '../store/store.ts';
import { IssuerReconciler } from './issuer.ts';
import type { Services } from './services.ts';

test('an account key that cannot be read is told of once and looked at again in a minute', async () => {
  let issuer = {
    kind: 'Issuer',
    metadata: { namespace: 'd', name: 'ca', generation: 1, finalizers: ['zoneproof.dev/dns01-cleanup'] },
    spec: { acme: { server: 'https://ca.test', privateKeySecretRef: { name: 'key' }, dns01: { providers: [] } } },
    status: {},
  } as unknown as Issuer;
  let reads = 0;
  const stop = new AbortController();
  const reconciler = new IssuerReconciler({
    store: {
      get: () => issuer,
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        issuer = { ...issuer, status: change(issuer as never) as Issuer['status'] };
      },
    },
    sessions: {
      open: async () => {
        if (++reads > 9) stop.abort();
        throw new SecretUnreadableError('Secret d/key cannot be read (EACCES).');
      },
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    clock: { now: () => 1_000 },
    random: systemRandom,
    signal: stop.signal,
    changes: () => 0,
  } as unknown as Services);
  expect(await reconciler.reconcile({ kind: 'Issuer', namespace: 'd', name: 'ca' })).toBe(61_000);
  expect(issuer.status.conditions?.[0]).toMatchObject({ status: 'False', reason: 'SecretUnreadable' });
  expect(reads).toBe(2);
});

test.each([
  ['credentials', undefined, 'CredentialsRefused'],
  ['zones', undefined, 'PermissionDenied'],
  ['reachable', undefined, 'ProviderUnavailable'],
  ['reachable', 'aborted', 'ProviderUnavailable'],
  ['reachable', 'rate-limited', 'ProviderRateLimited'],
] as const)('a check that fails at %s (%s) is told as %s', async (what, kind, reason) => {
  const server = 'https://ca.test';
  const acme = { accountURL: `${server}/account/1`, server, keyThumbprint: 'key' };
  let issuer = {
    kind: 'Issuer',
    metadata: { namespace: 'd', name: 'ca', generation: 1, finalizers: ['zoneproof.dev/dns01-cleanup'] },
    spec: { acme: { server, privateKeySecretRef: { name: 'key' }, dns01: { providers: [] } } },
    status: { acme },
  } as unknown as Issuer;
  const provider = { check: async () => [{ what, result: 'failed', detail: 'no', kind }] };
  const reconciler = new IssuerReconciler({
    store: {
      get: () => issuer,
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        issuer = { ...issuer, status: change(issuer as never) as Issuer['status'] };
      },
    },
    sessions: {
      open: async () => ({ key: { thumbprint: 'key' } }),
      providers: async () => [{ spec: { name: 'dns' }, bound: { displayName: 'DNS', provider } }],
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    clock: { now: () => 1_000 },
    random: systemRandom,
    signal: new AbortController().signal,
    changes: () => 0,
  } as unknown as Services);
  await reconciler.reconcile({ kind: 'Issuer', namespace: 'd', name: 'ca' });
  expect(issuer.status.providers).toEqual([{ name: 'dns', block: 'DNS', ready: false, reason, message: 'no' }]);
  expect(issuer.status.conditions).toEqual([
    {
      type: 'ProvidersReady',
      status: 'False',
      reason,
      message: 'dns: no',
      observedGeneration: 1,
      lastTransitionAt: 1_000,
    },
  ]);
});

test('an Issuer whose spec was repaired is Ready again, for the spec as it is now', async () => {
  const server = 'https://ca.test';
  const spec = (zone: string) => ({
    acme: {
      server,
      privateKeySecretRef: { name: 'key' },
      dns01: { providers: [{ name: 'dns', selector: { dnsZones: [zone] }, rfc2136: {} }] },
    },
  });
  let now = 1_000;
  let changes = 0;
  let writes = 0;
  let issuer = {
    kind: 'Issuer',
    metadata: { namespace: 'd', name: 'ca', generation: 1, finalizers: ['zoneproof.dev/dns01-cleanup'] },
    spec: spec('a..b'),
    status: {},
  } as unknown as Issuer;
  const provider = { check: async () => [] };
  const account = { status: 'valid', url: `${server}/account/1`, created: false };
  const reconciler = new IssuerReconciler({
    store: {
      get: () => issuer,
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        writes++;
        issuer = { ...issuer, status: change(issuer as never) as Issuer['status'] };
      },
    },
    sessions: {
      open: async () => ({ key: { thumbprint: 'key' }, acme: { ensureAccount: async () => account } }),
      externalAccount: async () => undefined,
      providers: async () => [{ spec: { name: 'dns' }, bound: { displayName: 'DNS', provider } }],
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    clock: { now: () => now },
    random: systemRandom,
    signal: new AbortController().signal,
    changes: () => changes,
  } as unknown as Services);
  const reconcile = () => reconciler.reconcile({ kind: 'Issuer', namespace: 'd', name: 'ca' });
  const edit = (zone: string) => {
    changes++;
    now += 1_000;
    const metadata = { ...issuer.metadata, generation: issuer.metadata.generation + 1 };
    issuer = { ...issuer, metadata, spec: spec(zone) as unknown as Issuer['spec'] };
  };
  await reconcile();
  expect(issuer.status.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'SpecInvalid' }]);
  edit('a.example');
  await reconcile();
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'AccountRegistered', observedGeneration: 2 },
    { type: 'ProvidersReady', status: 'True', reason: 'ProviderReady', observedGeneration: 2 },
  ];
  expect(issuer.status.conditions).toMatchObject(conditions);
  edit('b.example');
  await reconcile();
  expect(issuer.status.conditions).toMatchObject(conditions.map((one) => ({ ...one, observedGeneration: 3 })));
  const before = writes;
  now += 3_600_000;
  await reconcile();
  expect(writes).toBe(before);
});
