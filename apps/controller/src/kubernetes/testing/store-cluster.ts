import { readFile } from 'node:fs/promises';
import {
  type Clock,
  createRegistry,
  discoverProviders,
  systemClock,
  systemRandom,
  systemTimers,
  type Timers,
} from '@zoneproof/core';
import { type Cluster, startCluster } from '@zoneproof/farm';
import { parseAllDocuments } from 'yaml';
import { crdDocuments } from '../../crds/documents.ts';
import { resourcePath } from '../../crds/kinds.ts';
import { connectKubeApi, type KubeApi } from '../api.ts';
import { KubernetesStore, type KubernetesStoreOptions } from '../kubernetes-store.ts';
import { secretPath } from '../secret-json.ts';

/** A cluster with our CRDs and the shipped rights. */
export interface StoreCluster {
  readonly cluster: Cluster;
  /** As a person who may do everything. */
  readonly admin: KubeApi;
  /** As the shipped service account. */
  connect(kubeconfig?: string, time?: Time): Promise<KubeApi>;
  newNamespace(): Promise<string>;
  /** As `kubectl apply`. */
  applyCertificate(namespace: string, name: string, spec: { readonly secretName: string }): Promise<string>;
  applySecret(
    namespace: string,
    name: string,
    secret: {
      readonly annotations?: Readonly<Record<string, string>>;
      readonly data: Readonly<Record<string, string>>;
    },
  ): Promise<void>;
  stop(): Promise<void>;
}

export const serviceAccount = { name: 'system:serviceaccount:zoneproof:zoneproof' };

const inputs = { clock: systemClock, timers: systemTimers, random: systemRandom, userAgent: 'zoneproof/test' };
const apply = {
  method: 'PATCH',
  contentType: 'application/apply-patch+yaml',
  query: { fieldManager: 'person', force: 'true' },
} as const;

export async function startStoreCluster(): Promise<StoreCluster> {
  const cluster = await startCluster();
  const admin = await connectKubeApi({ ...inputs, kubeconfig: cluster.adminKubeconfig });
  const opened: KubeApi[] = [admin];
  const registry = createRegistry(await discoverProviders({ from: import.meta.dirname, pluginDirs: [] }));
  const crds = await crdDocuments(registry);
  const shipped = await readFile(new URL('../../../../../deploy/manifests/cluster.yaml', import.meta.url), 'utf8');
  const needed = parseAllDocuments(shipped)
    .map((document) => document.toJS() as { kind: string })
    .filter(({ kind }) => /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind));
  await kubectl(cluster, ['apply', '--server-side', '-f', '-'], [...crds, ...needed]);
  await kubectl(cluster, ['wait', '--for', 'condition=Established', 'crd', '--all']);
  // The garbage collector looks for new kinds twice a minute.
  await cluster.restartControllers();
  const own = await cluster.kubeconfigFor(serviceAccount);
  let namespaces = 0;
  return {
    cluster,
    admin,
    async connect(kubeconfig = own, time = inputs) {
      const api = await connectKubeApi({ ...inputs, ...time, kubeconfig });
      opened.push(api);
      return api;
    },
    async newNamespace() {
      const name = `test-${++namespaces}`;
      await admin.request({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      });
      return name;
    },
    async applyCertificate(namespace, name, spec) {
      const body = {
        apiVersion: 'zoneproof.dev/v1alpha1',
        kind: 'Certificate',
        metadata: { namespace, name },
        spec: { dnsNames: ['example.com'], issuerRef: { name: 'ca' }, ...spec },
      };
      const path = resourcePath('Certificate', namespace, name);
      const answer = await admin.request({ ...apply, path, body });
      return (answer as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
    },
    async applySecret(namespace, name, { annotations, data }) {
      const body = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name, ...(annotations && { annotations }) },
        type: 'tls.key' in data ? 'kubernetes.io/tls' : 'Opaque',
        stringData: data,
      };
      await admin.request({ ...apply, path: secretPath(namespace, name), body });
    },
    async stop() {
      for (const api of opened) api.close();
      await cluster.stop();
    },
  };
}

async function kubectl(cluster: Cluster, args: readonly string[], items?: readonly object[]): Promise<void> {
  const input = items && JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await cluster.kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}

export interface Time {
  readonly clock: Clock;
  readonly timers: Timers;
}

export const realTime: Time = { clock: systemClock, timers: systemTimers };

/** Time that runs `factor` times as fast. */
export function quickTime(factor: number): Time {
  const start = Date.now();
  return {
    clock: { now: () => start + (Date.now() - start) * factor },
    timers: { ...systemTimers, setTimeout: (run, ms) => systemTimers.setTimeout(run, ms / factor) },
  };
}

/** The store of one namespace. */
export function openStore(
  api: KubeApi,
  namespace: string,
  time: Time = realTime,
  others: Partial<KubernetesStoreOptions> = {},
): Promise<KubernetesStore> {
  return KubernetesStore.open({
    api,
    namespaces: [namespace],
    clusterResourceNamespace: 'zoneproof',
    ...time,
    random: systemRandom,
    signal: new AbortController().signal,
    secretResyncMs: 600_000,
    watchSecrets: false,
    ...others,
  });
}
