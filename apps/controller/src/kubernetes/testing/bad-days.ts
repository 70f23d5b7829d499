import type { Faults } from '@zoneproof/farm';
import { resourcePath } from '../../crds/kinds.ts';
import type { CertificateStatus } from '../../resources/types.ts';
import { ConflictError } from '../../store/store.ts';
import type { KubeApi } from '../api.ts';
import type { KubernetesStore } from '../kubernetes-store.ts';
import { openStore, quickTime, type StoreCluster, serviceAccount } from './store-cluster.ts';
import { until } from './until.ts';

/** What KubernetesStore does when the API server, or the way to it, fails. */
export function describeBadDays(world: () => StoreCluster): void {
  describe('on bad days', () => {
    let faults: Faults;
    let api: KubeApi;
    let namespace: string;
    let store: KubernetesStore;

    beforeAll(async () => {
      faults = await world().cluster.faults();
      api = await world().connect(await faults.kubeconfigFor(serviceAccount), quick);
    });
    beforeEach(async () => {
      namespace = await world().newNamespace();
      await world().applyCertificate(namespace, 'www', { secretName: 's' });
      store = await openStore(api, namespace, quick);
    });
    afterEach(async () => {
      faults.stallWatches(false);
      await store.close();
      expect(faults.outstanding()).toBe(0);
    });

    const certificate = (name = 'www') => store.get('Certificate', namespace, name);
    const count = ({ issuance = 0, ...status }: CertificateStatus) => ({ ...status, issuance: issuance + 1 });
    const update = (change: (status: CertificateStatus) => CertificateStatus) =>
      store.updateStatus('Certificate', namespace, 'www', ({ status }) => change(status));
    const stored = async () => {
      const path = resourcePath('Certificate', namespace, 'www');
      return ((await world().admin.request({ method: 'GET', path })) as { status?: CertificateStatus }).status;
    };
    const orderMeta = (name: string) => {
      const owner = { kind: 'Certificate', name: 'www', uid: certificate()?.metadata.uid ?? '' } as const;
      return { namespace, name, owner };
    };
    const writes = ({ method }: { method: string }) => method !== 'GET';

    test('a lost answer to a status is no second change, and none that is lost', async () => {
      for (let round = 1; round <= 5; round++) {
        faults.loseAnswers(1, writes);
        await update(count);
      }
      faults.loseAnswers(1, writes);
      await Promise.all([update(count), update(count)]);
      expect(certificate()?.status.issuance).toBe(7);
      expect(await stored()).toMatchObject({ issuance: 7 });
    }, 30_000);

    test('a lost answer to the creation of an Order: it is there once, and ours; the next creation is refused', async () => {
      faults.loseAnswers(1, writes);
      const order = await store.createOrder(orderMeta('www-1'), spec);
      expect(order).toMatchObject({ metadata: { name: 'www-1' }, spec });
      await expect(store.createOrder(orderMeta('www-1'), spec)).rejects.toThrow(ConflictError);
      faults.loseAnswers(1, writes);
      await store.delete({ kind: 'Order', namespace, name: 'www-1' });
      expect(store.get('Order', namespace, 'www-1')).toBeUndefined();
    }, 30_000);

    test('a lost answer to a Secret: what was made is ours, what was replaced is replaced', async () => {
      const content = (key: string) => ({ type: 'Opaque', data: { key } });
      const read = async (name: string) => (await store.readSecret(namespace, name))?.data.get('key')?.toString();
      faults.loseAnswers(1, writes);
      expect(await store.writeSecret({ namespace, name: 'k' }, content('1'), { ifAbsent: true })).toBe('written');
      const { owner } = orderMeta('');
      for (const key of ['1', '2']) {
        faults.loseAnswers(1, writes);
        expect(await store.writeSecret({ namespace, name: 's', owner }, content(key))).toBe('written');
        expect(await read('s')).toBe(key);
      }
      faults.loseAnswers(1, writes);
      await store.delete({ kind: 'Secret', namespace, name: 'k' });
      expect(await read('k')).toBeUndefined();
    }, 30_000);

    test('storms of conflicts, of too many requests and of errors end in each change made once', async () => {
      faults.failNext(5, { status: 409, match: writes });
      await Promise.all([update(count), update(count)]);
      faults.failNext(4, { status: 429, retryAfterSeconds: 1 });
      await update(count);
      faults.failNext(4, { status: 500, match: writes });
      await update(count);
      faults.failNext(3, { status: 503 });
      await store.createOrder(orderMeta('www-1'), spec);
      expect(await stored()).toMatchObject({ issuance: 4 });
    }, 60_000);

    test('while someone else writes the same object, all changes are kept', async () => {
      const path = resourcePath('Certificate', namespace, 'www');
      const disturb = async () => {
        for (let round = 0; round < 30; round++)
          await world().admin.request({
            method: 'PATCH',
            path,
            contentType: 'application/merge-patch+json',
            body: { metadata: { annotations: { round: String(round) } } },
          });
      };
      const disturbed = disturb();
      for (let round = 0; round < 20; round++) await update(count);
      await disturbed;
      expect(await stored()).toMatchObject({ issuance: 20 });
      await until('the last annotation', () => certificate()?.metadata.annotations?.round === '29');
    }, 30_000);

    test('a watch that was cut goes on where it ended: nothing is missed, nothing told twice', async () => {
      const told: string[] = [];
      store.watch(({ name }) => told.push(name));
      for (let round = 0; round < 3; round++) {
        faults.cutWatches();
        await world().applyCertificate(namespace, `new-${round}`, { secretName: 's' });
        await until('the new Certificate', () => certificate(`new-${round}`) !== undefined);
      }
      expect(told).toEqual(['new-0', 'new-1', 'new-2']);
    }, 30_000);

    test('a connection that died in silence is noticed and replaced', async () => {
      await store.close();
      const time = quickTime(40);
      store = await openStore(await world().connect(await faults.kubeconfigFor(serviceAccount), time), namespace, time);
      const watchesBegun = async () =>
        (await world().cluster.audit()).filter((entry) => entry.verb === 'watch' && entry.namespace === namespace)
          .length;
      await until('the first watches', async () => (await watchesBegun()) >= 6);
      const before = await watchesBegun();
      faults.stallWatches(true);
      await world().applyCertificate(namespace, 'unheard', { secretName: 's' });
      await until('a new watch', async () => (await watchesBegun()) > before);
      expect(certificate('unheard')).toBeUndefined();
      faults.stallWatches(false);
      await until('the Certificate', () => certificate('unheard') !== undefined);
    }, 30_000);

    test('the API server is restarted while Orders and statuses are written: each is there once', async () => {
      const work = Promise.all([
        ...Array.from({ length: 20 }, () => update(count)),
        ...Array.from({ length: 20 }, (_, index) => store.createOrder(orderMeta(`www-${index}`), spec)),
      ]);
      await world().cluster.stopApiServer();
      const later = update(count);
      await world().cluster.startApiServer();
      await Promise.all([work, later]);
      expect(await stored()).toMatchObject({ issuance: 21 });
      expect(store.list('Order')).toHaveLength(20);
      await world().applyCertificate(namespace, 'after', { secretName: 's' });
      await until('news after the restart', () => certificate('after') !== undefined);
    }, 60_000);

    test('after a compaction all is listed again: only what changed is told, and what is gone is gone', async () => {
      await world().applyCertificate(namespace, 'gone', { secretName: 's' });
      await until('the Certificate', () => certificate('gone') !== undefined);
      const before = certificate();
      const told: string[] = [];
      store.watch(({ name }) => told.push(name));
      faults.stallWatches(true);
      faults.cutWatches();
      await world().applyCertificate(namespace, 'new', { secretName: 's' });
      await world().admin.request({ method: 'DELETE', path: resourcePath('Certificate', namespace, 'gone') });
      await world().cluster.compactEtcd();
      await world().cluster.stopApiServer();
      await world().cluster.startApiServer();
      faults.cutWatches();
      faults.stallWatches(false);
      await until('the new Certificate', () => certificate('new') !== undefined && certificate('gone') === undefined);
      expect([...told].sort()).toEqual(['gone', 'new']);
      expect(certificate()).toBe(before);
    }, 60_000);
  });
}

/** Nobody learns anything from pauses between repetitions. */
const quick = quickTime(5);

const spec = {
  dnsNames: ['example.com'],
  issuerRef: { name: 'ca', kind: 'Issuer' },
  privateKeySecretName: 'www-1-key',
} as const;
