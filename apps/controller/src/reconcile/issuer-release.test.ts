import type { LedgerEntry } from '@zoneproof/core';
import type { Issuer, Order } from '../resources/types.ts';
import { IssuerReconciler } from './issuer.ts';
import { decideRelease, type Release, seeRelease } from './issuer-release.ts';
import type { Services } from './services.ts';

const finalizers = ['zoneproof.dev/dns01-cleanup'];
const issuer = (metadata: object, kind: Issuer['kind'] = 'Issuer'): Issuer =>
  ({ kind, metadata: { namespace: kind === 'Issuer' ? 'd' : '', name: 'ca', ...metadata } }) as unknown as Issuer;
const entry = (id: string, path = 'Issuer/d/ca'): LedgerEntry =>
  ({ id, name: `_acme-challenge.${id}.test`, value: id, provider: { issuer: path } }) as unknown as LedgerEntry;
const deletedAt = 1_000_000;
const endAt = deletedAt + 600_000;

test.each<[string, object, Release, number, object]>([
  ['one that nothing needs goes at once', { finalizers }, { open: [], running: 0 }, deletedAt, { step: { do: 'release', left: [] } }],
  ['one whose values are in zones stays', { finalizers }, { open: [entry('a')], running: 0 }, deletedAt + 5, { step: undefined, wakeAt: deletedAt + 2_005 }],
  ['one that an Order may still write through stays', { finalizers }, { open: [], running: 1 }, deletedAt, { step: undefined, wakeAt: deletedAt + 2_000 }],
  ['it is looked at when its time is over', { finalizers }, { open: [entry('a')], running: 0 }, endAt - 1, { step: undefined, wakeAt: endAt }],
  ['after ten minutes it is given up', { finalizers }, { open: [entry('a')], running: 1 }, endAt, { step: { do: 'release', left: [entry('a')] } }],
  ['one that is held by somebody else is not ours to let go', { finalizers: ['other'] }, { open: [], running: 0 }, endAt, { step: undefined }],
])('%s', (_title, metadata, release, now, expected) => {
  expect(decideRelease(issuer({ deletedAt, ...metadata }), release, now)).toEqual(expected);
}); // biome-ignore format: one table

const order = (namespace: string, more: { status?: object; spec?: object; metadata?: object } = {}): Order =>
  ({
    metadata: { namespace, ...more.metadata },
    spec: { issuerRef: { kind: 'Issuer', name: 'ca', ...more.spec } },
    status: more.status ?? {},
  }) as unknown as Order;

test('what needs an Issuer: Orders of its namespace that are under way, and entries that name it, of any Order', () => {
  const orders = [
    order('d'),
    order('d', { status: { result: 'valid' } }),
    order('d', { metadata: { deletedAt: 1 }, status: { ledger: [entry('a'), entry('b', 'Issuer/d/other')] } }),
    order('d', { spec: { name: 'other' } }),
    order('d', { spec: { kind: 'ClusterIssuer' } }),
    order('e'),
    order('e', { status: { result: 'failed', ledger: [entry('c', 'ClusterIssuer//ca')] } }),
  ];
  const services = { store: { list: () => orders } } as unknown as Services;
  const namespaced = seeRelease(issuer({}), services);
  expect([namespaced.running, namespaced.open.map(({ id }) => id)]).toEqual([1, ['a']]);
  const cluster = seeRelease(issuer({}, 'ClusterIssuer'), services);
  expect([cluster.running, cluster.open.map(({ id }) => id)]).toEqual([1, ['c']]);
});

test('an Issuer that is given up says which values stay, once, and asks for no Secret', async () => {
  const values = Array.from({ length: 12 }, (_, at) => entry(`v${at}`));
  let stored: Issuer | undefined = issuer({ deletedAt, finalizers });
  const reports: { reason: string; message: string }[] = [];
  const reconciler = new IssuerReconciler({
    store: {
      get: () => stored,
      list: () => [order('d', { metadata: { deletedAt }, status: { ledger: values } })],
      removeFinalizer: async () => {
        stored = undefined;
      },
    },
    sessions: {
      open: async () => {
        throw new Error('nobody opens it');
      },
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: (report: { reason: string; message: string }) => reports.push(report),
    clock: { now: () => endAt },
    signal: new AbortController().signal,
  } as unknown as Services);
  const key = { kind: 'Issuer', namespace: 'd', name: 'ca' } as const;
  await reconciler.reconcile(key);
  await reconciler.reconcile(key);
  expect(reports.map(({ reason }) => reason)).toEqual(['CleanUpAbandoned']);
  expect(reports[0]?.message).toContain('_acme-challenge.v0.test TXT "v0", ');
  expect(reports[0]?.message).toContain(' TXT "v9" and 2 more. Their Orders try on');
  expect(stored).toBeUndefined();
});
