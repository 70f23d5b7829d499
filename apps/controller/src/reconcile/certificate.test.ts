import type { Certificate } from '../resources/types.ts';
import { CertificateReconciler } from './certificate.ts';
import type { Services } from './services.ts';

const key = { kind: 'Certificate', namespace: 'd', name: 'www' } as const;
const resyncMs = 600_000;

/** A Certificate without a Secret and without an Issuer, so that it only looks. */
function world(more: { secretVersion?: () => string | undefined } = {}) {
  let certificate = {
    kind: 'Certificate',
    metadata: { namespace: 'd', name: 'www', uid: 'u', generation: 1 },
    spec: { secretName: 'www-tls', dnsNames: ['www.test'], issuerRef: { name: 'ca' } },
    status: {},
  } as unknown as Certificate;
  const state = { now: 0, changes: 0, reads: 0 };
  const reconciler = new CertificateReconciler({
    store: {
      get: (kind: string) => (kind === 'Certificate' ? certificate : undefined),
      ordersOf: () => [],
      readSecret: async () => {
        state.reads++;
        return undefined;
      },
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        certificate = { ...certificate, status: change(certificate as never) as Certificate['status'] };
      },
      ...more,
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    clock: { now: () => state.now },
    signal: new AbortController().signal,
    changes: () => state.changes,
  } as unknown as Services);
  return { state, look: () => reconciler.reconcile(key) };
}

test('a Secret is read again when ten minutes have passed, or when a person has changed something', async () => {
  const { state, look } = world();
  expect(await look()).toBe(resyncMs);
  state.now = resyncMs - 1;
  await look();
  expect(state.reads).toBe(1);
  state.changes++;
  await look();
  expect(state.reads).toBe(2);
  state.now = 2 * resyncMs - 1;
  expect(await look()).toBe(3 * resyncMs - 1);
  expect(state.reads).toBe(3);
});

test('where the store looks after Secrets, one is read again when its version is another, and nothing else wakes it', async () => {
  let version: string | undefined;
  const { state, look } = world({ secretVersion: () => version });
  await look();
  version = '';
  await look();
  const before = state.reads;
  state.changes++;
  state.now = 10 * resyncMs;
  expect(await look()).toBeUndefined();
  expect(state.reads).toBe(before);
  version = '17';
  await look();
  expect(state.reads).toBe(before + 1);
});
