import { resourcePath } from '../../crds/kinds.ts';
import type { KubernetesStore } from '../kubernetes-store.ts';
import { secretPath } from '../secret-json.ts';
import { openStore, realTime, type StoreCluster } from './store-cluster.ts';
import { until } from './until.ts';

/** What KubernetesStore does about Secrets that others make, change, own or watch. */
export function describeForeignSecrets(world: () => StoreCluster): void {
  describe('Secrets of others', () => {
    let namespace: string;
    let store: KubernetesStore | undefined;
    beforeEach(async () => {
      namespace = await world().newNamespace();
      await world().applyCertificate(namespace, 'www', { secretName: 's' });
    });
    afterEach(() => store?.close());

    const listen = () => {
      const told: string[] = [];
      store?.onPersonsChange(({ kind, name }) => told.push(`person: ${kind} ${name}`));
      store?.watch(({ kind, name }) => told.push(`${kind} ${name}`));
      return told;
    };
    const data = (text: string) => ({ data: { 'tls.crt': text, 'tls.key': text } });

    test.each([
      ['by the slow look', { secretResyncMs: 200, watchSecrets: false }],
      ['by a watch, where there is the right to it', { secretResyncMs: 600_000, watchSecrets: true }],
    ])(
      'one that was read is noticed when it changes, goes or comes, %s',
      async (_title, options) => {
        const admin = await world().connect(world().cluster.adminKubeconfig);
        store = await openStore(admin, namespace, realTime, options);
        expect(await store.readSecret(namespace, 's')).toBeUndefined();
        const told = listen();
        const news = ['person: Secret s', 'Certificate www'];
        const path = secretPath(namespace, 's');
        for (const [count, change] of [
          () => world().applySecret(namespace, 's', data('1')),
          () => world().applySecret(namespace, 's', data('2')),
          () => admin.request({ method: 'DELETE', path }),
        ].entries()) {
          await change();
          await until('the news', () => told.length >= 2 * (count + 1));
        }
        expect(told).toEqual([...news, ...news, ...news]);
      },
      30_000,
    );

    test('what we write ourselves is no news', async () => {
      store = await openStore(await world().connect(), namespace, realTime, { secretResyncMs: 100 });
      const told = listen();
      const uid = store.get('Certificate', namespace, 'www')?.metadata.uid ?? '';
      const meta = { namespace, name: 's', owner: { kind: 'Certificate', name: 'www', uid } } as const;
      for (const text of ['1', '2']) {
        await store.writeSecret(meta, { type: 'kubernetes.io/tls', ...data(text) });
        const looks = async () =>
          (await world().cluster.audit()).filter((one) => one.namespace === namespace && one.verb === 'get').length;
        const before = await looks();
        await until('another look', async () => (await looks()) > before);
      }
      expect(told).toEqual([]);
    }, 30_000);

    test('an orphan that we made is ours again; one of another type, or with another owner, is neither written nor deleted', async () => {
      store = await openStore(await world().connect(), namespace);
      const uid = store.get('Certificate', namespace, 'www')?.metadata.uid ?? '';
      const owner = { kind: 'Certificate', name: 'www', uid } as const;
      const write = (name: string, type = 'kubernetes.io/tls') =>
        store?.writeSecret({ namespace, name, owner }, { type, ...data('ours') });
      await write('orphan');
      const patch = (name: string, metadata: object) =>
        world().admin.request({
          method: 'PATCH',
          path: secretPath(namespace, name),
          contentType: 'application/merge-patch+json',
          body: { metadata },
        });
      await patch('orphan', { ownerReferences: null });
      await expect(write('orphan', 'Opaque')).rejects.toThrow('has type kubernetes.io/tls');
      expect(await write('orphan')).toBe('written');
      expect((await store.readSecret(namespace, 'orphan'))?.metadata.owner).toEqual(owner);
      // One that is there: what belongs to nothing is collected.
      const theirs = await world().admin.request({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } },
      });
      const { uid: theirUid } = (theirs as { readonly metadata: { readonly uid: string } }).metadata;
      const stranger = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: theirUid };
      await patch('orphan', { ownerReferences: [stranger] });
      await expect(write('orphan')).rejects.toThrow('belongs to ConfigMap theirs');
      await world().applySecret(namespace, 'theirs', data('theirs'));
      await store.delete({ kind: 'Secret', namespace, name: 'theirs' });
      expect(await store.readSecret(namespace, 'theirs')).toBeDefined();
    }, 30_000);

    test('labels and entries that others add stay, and ours come back', async () => {
      store = await openStore(await world().connect(), namespace);
      const uid = store.get('Certificate', namespace, 'www')?.metadata.uid ?? '';
      const owner = { kind: 'Certificate', name: 'www', uid } as const;
      const meta = { namespace, name: 's', owner, labels: { team: 'a' } };
      await store.writeSecret(meta, { type: 'kubernetes.io/tls', ...data('1') });
      await world().admin.request({
        method: 'PATCH',
        path: secretPath(namespace, 's'),
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { theirs: 'x', team: 'b' } }, data: { 'tls.key': 'AAAA', 'key.der': 'AAAA' } },
      });
      await store.writeSecret(meta, { type: 'kubernetes.io/tls', ...data('2') });
      const secret = await store.readSecret(namespace, 's');
      expect(secret?.metadata.labels).toMatchObject({ theirs: 'x', team: 'a' });
      expect(
        secret?.data
          .entries()
          .map((entry) => `${entry} ${secret.data.get(entry)?.length}`)
          .sort(),
      ).toEqual(['key.der 3', 'tls.crt 1', 'tls.key 1']);
    }, 30_000);
  });

  test('in the whole cluster ClusterIssuers are seen, and what their Secrets become', async () => {
    const body = {
      apiVersion: 'zoneproof.dev/v1alpha1',
      kind: 'ClusterIssuer',
      metadata: { name: 'public' },
      spec: {
        acme: {
          server: 'https://ca.test/dir',
          privateKeySecretRef: { name: 'account' },
          dns01: { providers: [{ name: 'a', rfc2136: { nameserver: '192.0.2.1' } }] },
        },
      },
    };
    const store = await openStore(await world().connect(), '', realTime, { namespaces: [], secretResyncMs: 200 });
    try {
      await world().admin.request({ method: 'POST', path: resourcePath('ClusterIssuer'), body });
      await until('the ClusterIssuer', () => store.get('ClusterIssuer', '', 'public') !== undefined);
      await store.updateStatus('ClusterIssuer', '', 'public', () => ({ acme: { server: 'https://ca.test/dir' } }));
      expect(store.list('ClusterIssuer')[0]?.status).toEqual({ acme: { server: 'https://ca.test/dir' } });
      await store.writeSecret(
        { namespace: 'zoneproof', name: 'account' },
        { type: 'Opaque', data: { 'tls.key': 'x' } },
        { ifAbsent: true },
      );
      await store.readSecret('zoneproof', 'account');
      const told: string[] = [];
      store.watch(({ kind, name }) => told.push(`${kind} ${name}`));
      await world().applySecret('zoneproof', 'account', { data: { other: 'y' } });
      await until('the news', () => told.includes('ClusterIssuer public'));
    } finally {
      await store.close();
    }
  }, 30_000);
}
