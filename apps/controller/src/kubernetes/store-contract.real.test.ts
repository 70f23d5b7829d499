import { systemClock, systemRandom, systemTimers } from '@zoneproof/core';
import { describeReal } from '@zoneproof/farm';
import { resourcePath } from '../crds/kinds.ts';
import { type Declared, describeStore, type StoreHome } from '../store/testing/store-contract.ts';
import { KubernetesStore } from './kubernetes-store.ts';
import { type StoreCluster, startStoreCluster } from './testing/store-cluster.ts';
import { until } from './testing/until.ts';

describeReal(['kubernetes'], 'the promises of a store, kept at a real API server', () => {
  let world: StoreCluster;
  beforeAll(async () => {
    world = await startStoreCluster();
  }, 120_000);
  afterAll(() => world.stop(), 30_000);

  describeStore('KubernetesStore', async (): Promise<StoreHome> => {
    const namespace = await world.newNamespace();
    const api = await world.connect();
    const open = () =>
      KubernetesStore.open({
        api,
        namespaces: [namespace],
        clusterResourceNamespace: 'zoneproof',
        clock: systemClock,
        timers: systemTimers,
        random: systemRandom,
        signal: new AbortController().signal,
        secretResyncMs: 600_000,
        watchSecrets: false,
      });
    let store = await open();
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
        store = await open();
      },
      close: () => store.close(),
    };
  });
});
