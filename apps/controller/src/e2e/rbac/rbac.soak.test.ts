import { describeReal } from '@zoneproof/farm';
import type { KubeApi } from '../../kubernetes/index.ts';
import { type StoreCluster, startStoreCluster } from '../../kubernetes/testing/store-cluster.ts';
import { type Action, actions, watchSecretsActions } from './actions.ts';
import { identity, type Permission, permissionsOf, type Role, shippedRoles, titleOf } from './permissions.ts';
import { withStore } from './world.ts';

const shipped = shippedRoles('cluster.yaml');
const permissions = permissionsOf(shipped);
const oneNamespace = shippedRoles('one-namespace.yaml');
const listAndWatch = ['list', 'watch'].map(
  (verb): Permission => ({ role: 'more', apiGroup: '', resource: 'secrets', verb }),
);
const watching: readonly Role[] = [
  ...shipped,
  {
    kind: 'ClusterRole',
    metadata: { name: 'more' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] }],
  },
];

test('each shipped permission is for something', () => {
  expect(permissions.map(titleOf).sort()).toEqual(Object.keys(actions).sort());
});

test('in one namespace: the same but for ClusterIssuers', () => {
  const expected = permissions.map(titleOf).filter((title) => !title.includes('clusterissuers'));
  expect(permissionsOf(oneNamespace).map(titleOf).sort()).toEqual(expected.sort());
  expect(oneNamespace.filter(({ kind }) => kind === 'ClusterRole')).toEqual([]);
});

describeReal(['kubernetes'], 'the shipped rights', () => {
  let cluster: StoreCluster;
  beforeAll(async () => {
    cluster = await startStoreCluster();
    const objects = [
      ...permissions.flatMap((one, index) => identity(`without-${index}`, shipped, one)),
      ...identity('watching', watching),
      ...listAndWatch.flatMap((one) => identity(`without-${one.verb}-secrets`, watching, one)),
      ...identity('in-one', oneNamespace),
    ];
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const { code, stderr } = await cluster.cluster.kubectl(['apply', '--server-side', '-f', '-'], list);
    if (code !== 0) throw new Error(stderr);
  }, 120_000);
  afterAll(() => cluster.stop());

  test.each(permissions.map((one, index) => [titleOf(one), index]))('%s is enough, and needed', (title, index) =>
    expectNeeded(actions[title] as Action, 'zoneproof', `without-${index}`),
  );

  test.each(listAndWatch.map((one) => [titleOf(one), one.verb]))('with watchSecrets: %s', (title, verb) =>
    expectNeeded(watchSecretsActions[title] as Action, 'watching', `without-${verb}-secrets`),
  );

  test('in one namespace: its Secrets can be read, and nothing elsewhere', async () => {
    const world = await worldOf('in-one');
    await withStore(
      world,
      async (store) => {
        expect(await store.readSecret('zoneproof', 'none')).toBeUndefined();
        await expect(store.readSecret(world.namespace, 'none')).rejects.toThrow('forbidden');
      },
      { namespaces: ['zoneproof'] },
    );
    await expect(withStore(world, async () => {})).rejects.toThrow('--namespace');
  });

  async function expectNeeded(action: Action, enough: string, lacking: string): Promise<void> {
    await action(await worldOf(enough));
    await expect((async () => action(await worldOf(lacking)))()).rejects.toThrow(/forbidden/);
  }

  async function worldOf(account: string) {
    const {
      admin,
      cluster: { adminKubeconfig, kubeconfigFor },
    } = cluster;
    const kubeconfig = await kubeconfigFor({ name: `system:serviceaccount:zoneproof:${account}` });
    const me: KubeApi = await cluster.connect(kubeconfig);
    return { me, admin, adminKubeconfig, namespace: await cluster.newNamespace() };
  }
});
