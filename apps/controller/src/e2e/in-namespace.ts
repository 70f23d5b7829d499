import { randomBytes } from 'node:crypto';
import { createEgress, systemTimers } from '@zoneproof/core';
import { parseAllDocuments } from 'yaml';
import { resourcePath } from '../crds/kinds.ts';
import type { KubeApi } from '../kubernetes/index.ts';
import { secretPath } from '../kubernetes/secret-json.ts';
import { openStore, type StoreCluster } from '../kubernetes/testing/store-cluster.ts';
import { until } from '../kubernetes/testing/until.ts';
import type { Report } from '../reconcile/services.ts';
import { startController } from '../runtime/controller.ts';
import type { EditedHome } from './edits.ts';
import { registryOf, type StandaloneOptions } from './standalone.ts';

type Kind = 'Issuer' | 'Certificate' | 'Secret';

interface Manifest {
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
}

interface Deletable {
  readonly metadata: { readonly deletionTimestamp?: string };
}

const namespace = 'default';

/** The controller that {@link startStandalone} starts, on the objects of a namespace of a real API server. */
export async function startInNamespace(world: StoreCluster, options: StandaloneOptions): Promise<EditedHome> {
  const { admin } = world;
  const clock = { now: () => Date.now() };
  const reports: Report[] = [];
  let declared: readonly Manifest[] = [];
  const declare = async (manifests: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const next = Object.values(manifests).flatMap((text) =>
      parseAllDocuments(text).map((document) => document.toJS() as Manifest),
    );
    const gone = declared.filter((one) => !next.some((other) => pathOf(other) === pathOf(one)));
    declared = next;
    // As people do: first what others refer to, last what is not needed any more.
    const isSecret = ({ kind }: Manifest): boolean => kind === 'Secret';
    await Promise.all(next.filter(isSecret).map((manifest) => applyObject(admin, manifest)));
    const versions = await Promise.all(next.map((manifest) => applyObject(admin, manifest)));
    for (const manifest of gone) await removeObject(admin, pathOf(manifest));
    return versions;
  };
  await declare(options.manifests);
  const store = await openStore(await world.connect(world.cluster.adminKubeconfig), namespace);
  const egress = createEgress({ dns: options.transport });
  const controller = startController({
    store,
    registry: registryOf(options.plugins),
    egress,
    resolvers: () => options.resolvers,
    confirmAfterMs: 100,
    clock,
    timers: systemTimers,
    random: (length) => randomBytes(length),
    userAgent: 'zoneproof/test',
    report: (report) => reports.push(report),
  });
  store.onPersonsChange(() => controller.changed());
  const isShown = ({ kind, metadata }: Manifest, version: string): boolean =>
    kind === 'Secret' ||
    Number(store.get(kind, namespace, metadata.name)?.metadata.resourceVersion ?? 0) >= Number(version);
  return {
    store,
    controller,
    reports,
    async edit(manifests) {
      const versions = await declare(manifests);
      const wanted = declared;
      await until('the edit', () => wanted.every((manifest, index) => isShown(manifest, versions[index] ?? '')));
    },
    async remove() {
      await controller.stop();
      await store.close();
      await egress.close();
      for (const kind of ['Certificate', 'Order', 'Issuer'] as const) await clear(admin, resourcePath(kind, namespace));
      await clear(admin, secretPath(namespace));
    },
  };
}

function pathOf({ kind, metadata: { name } }: Manifest): string {
  return kind === 'Secret' ? secretPath(namespace, name) : resourcePath(kind, namespace, name);
}

/** @returns the version that the object has now */
async function applyObject(admin: KubeApi, manifest: Manifest): Promise<string> {
  // What is on its way out takes no new life; a person waits, as `kubectl delete` does.
  await until('the end of what is being deleted', async () => {
    const found = await admin.request({ method: 'GET', path: pathOf(manifest) }).catch(() => undefined);
    return (found as Deletable | undefined)?.metadata.deletionTimestamp === undefined;
  });
  const answer = await admin.request({
    method: 'PATCH',
    path: pathOf(manifest),
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'person', force: 'true' },
    body: { ...manifest, metadata: { ...manifest.metadata, namespace } },
  });
  return (answer as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
}

async function removeObject(admin: KubeApi, path: string): Promise<void> {
  await admin.request({ method: 'DELETE', path }).catch((error: Error) => {
    if (!error.message.includes('404')) throw error;
  });
}

/** All objects of a kind, also those whose finalizers nobody removes any more. */
async function clear(admin: KubeApi, path: string): Promise<void> {
  const list = async () =>
    ((await admin.request({ method: 'GET', path })) as { readonly items: readonly Manifest[] }).items;
  const names = (await list()).map(({ metadata }) => metadata.name);
  const contentType = 'application/merge-patch+json';
  for (const name of names) {
    const body = { metadata: { finalizers: [] } };
    await admin.request({ method: 'PATCH', path: `${path}/${name}`, contentType, body }).catch(() => undefined);
    await removeObject(admin, `${path}/${name}`);
  }
  await until(`an empty ${path}`, async () => (await list()).length === 0);
}
