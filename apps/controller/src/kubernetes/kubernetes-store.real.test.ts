import { describeReal } from '@zoneproof/farm';
import { resourcePath } from '../crds/kinds.ts';
import { type Declared, describeStore, type StoreHome } from '../store/testing/store-contract.ts';
import { describeBadDays } from './testing/bad-days.ts';
import { describeForeignSecrets } from './testing/foreign-secrets.ts';
import { openStore, type StoreCluster, startStoreCluster } from './testing/store-cluster.ts';
import { until } from './testing/until.ts';

describeReal(['kubernetes'], 'the store at a real API server', () => {
  let world: StoreCluster;
  beforeAll(async () => {
    world = await startStoreCluster();
  }, 120_000);
  afterAll(() => world.stop(), 30_000);

  describeForeignSecrets(() => world);
  describeBadDays(() => world);

  describeStore('keeps the promises of a store', async (): Promise<StoreHome> => {
    const namespace = await world.newNamespace();
    const api = await world.connect();
    let store = await openStore(api, namespace);
    let declared: readonly string[] = [];
    return {
      namespace,
      get store() {
        return store;
      },
      async declare({ certificates = {}, secrets = {} }: Declared) {
        for (const name of declared.filter((one) => !(one in certificates))) {
          await world.admin.request({ method: 'DELETE', path: resourcePath('Certificate', namespace, name) });
          await until(`deletion of ${name}`, () => store.get('Certificate', namespace, name) === undefined);
        }
        declared = Object.keys(certificates);
        for (const [name, secret] of Object.entries(secrets)) await world.applySecret(namespace, name, secret);
        for (const [name, spec] of Object.entries(certificates)) {
          const version = Number(await world.applyCertificate(namespace, name, spec));
          const shown = () => Number(store.get('Certificate', namespace, name)?.metadata.resourceVersion ?? 0);
          await until(`Certificate ${name}`, () => shown() >= version);
        }
      },
      async reopen() {
        await store.close();
        store = await openStore(api, namespace);
      },
      close: () => store.close(),
    };
  });
});
