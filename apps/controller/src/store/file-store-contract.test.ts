import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManifestObject } from '../manifests/index.ts';
import { FileStore } from './index.ts';
import { type Declared, describeStore, type StoreHome } from './testing/store-contract.ts';

const namespace = 'default';
const clock = { now: () => 1_000 };

describeStore('FileStore', async (): Promise<StoreHome> => {
  const stateDir = await mkdtemp(join(tmpdir(), 'zoneproof-store-'));
  let store = await FileStore.open({ stateDir, clock });
  let manifests: readonly ManifestObject[] = [];
  return {
    namespace,
    get store() {
      return store;
    },
    async declare(declared) {
      manifests = manifestsOf(declared);
      await store.applyManifests(manifests);
    },
    async reopen() {
      await store.close();
      store = await FileStore.open({ stateDir, clock });
    },
    async close() {
      await store.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
});

function manifestsOf({ certificates = {}, secrets = {} }: Declared): readonly ManifestObject[] {
  const source = { file: 'a.yaml', line: 1 };
  return [
    ...Object.entries(certificates).map(
      ([name, spec]): ManifestObject => ({
        kind: 'Certificate',
        namespace,
        name,
        spec: { ...spec, dnsNames: ['example.com'], issuerRef: { name: 'ca' } },
        source,
      }),
    ),
    ...Object.entries(secrets).map(([name, { annotations, data }]): ManifestObject => {
      const bytes = Object.entries(data).map(([entry, text]) => [entry, Buffer.from(text)]);
      return {
        kind: 'Secret',
        namespace,
        name,
        ...(annotations && { annotations }),
        spec: { data: Object.fromEntries(bytes) },
        source,
      };
    }),
  ];
}
