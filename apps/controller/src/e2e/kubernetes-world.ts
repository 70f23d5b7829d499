import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom, systemTimers } from '@zoneproof/core';
import { type DnsServer, type DnsTransport, mapTransport, systemTransport } from '@zoneproof/dns';
import { type Cluster, startBind, startCluster } from '@zoneproof/farm';
import { runMain } from '../cli/testing/run-main.ts';
import { must } from '../crds/testing/world.ts';
import { connectKubeApi, type KubeApi } from '../kubernetes/index.ts';
import { type RealWorld, startRealWorld } from './real-world.ts';

/** What a test reads of an object as the API server tells it. */
export interface SeenObject {
  readonly kind: string;
  readonly type?: string;
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec: { readonly dnsNames?: readonly string[] };
  readonly status?: {
    readonly acme?: { readonly accountURL?: string };
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }[];
    readonly providers?: readonly { readonly reason: string; readonly message: string }[];
    readonly ledger?: readonly unknown[];
    readonly result?: string;
    readonly serial?: string;
  };
  /** Of Secrets, base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** A cluster with what a person installs (`zoneproof crds`, deploy/manifests), a real CA, and real name servers. */
export interface KubernetesWorld {
  readonly cluster: Cluster;
  readonly real: RealWorld;
  readonly resolver: string;
  readonly transport: DnsTransport;
  /** What kubectl prints. @throws Error with its words when it fails */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** `kubectl apply`, of all at once. */
  apply(objects: readonly object[]): Promise<void>;
  /** In one namespace, or in all. */
  list(kind: Plural, namespace?: string): Promise<readonly SeenObject[]>;
  /** The second name server of a zone takes no updates while it lags behind: Orders wait with their values written. */
  lag(zone: string, isBehind: boolean): void;
  stop(): Promise<void>;
}

const installManifest = fileURLToPath(new URL('../../../../deploy/manifests/cluster.yaml', import.meta.url));

/** @param zones each has a second name server */
export async function startKubernetesWorld(zones: readonly string[]): Promise<KubernetesWorld> {
  const farmZones = zones.map((name, index) => ({ name, records: ['@ NS ns2', `ns2 A ${secondAddress(index)}`] }));
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(stops.splice(0).map((end) => end()));
  };
  try {
    const [cluster, real, behind] = await Promise.all([
      startCluster().then((started) => {
        stops.push(() => started.stop());
        return install(started);
      }),
      startRealWorld({ zones: farmZones }).then((started) => {
        stops.push(() => started.stop());
        return started;
      }),
      startBind({ zones: farmZones }).then((started) => {
        stops.push(() => started.stop());
        return started;
      }),
    ]);
    const inputs = { clock: systemClock, timers: systemTimers, random: systemRandom, userAgent: 'zoneproof-e2e' };
    const admin = await connectKubeApi({ ...inputs, kubeconfig: cluster.adminKubeconfig });
    stops.push(async () => admin.close());
    const current = { address: real.dns.address, port: real.dns.port };
    const servers = new Map<string, DnsServer>([[`${real.dns.address}:53`, current]]);
    const lag = (zone: string, isBehind: boolean): void => {
      const server = isBehind ? { address: behind.address, port: behind.port } : current;
      servers.set(`${secondAddress(zones.indexOf(zone))}:53`, server);
    };
    for (const zone of zones) lag(zone, false);
    return {
      cluster,
      real,
      resolver: `${current.address}:${current.port}`,
      transport: mapTransport(systemTransport, servers),
      kubectl: (args, input) => must(cluster, args, input),
      apply: async (objects) => {
        await must(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      },
      list: (kind, namespace) => listed(admin, kind, namespace),
      lag,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Of the second name server of the zone of this index. */
export function secondAddress(index: number): string {
  return `127.0.1.${index + 1}`;
}

async function install(cluster: Cluster): Promise<Cluster> {
  const { out, code, err } = await runMain(['crds']);
  if (code !== 0) throw new Error(err);
  await must(cluster, ['apply', '--server-side', '-f', '-'], out);
  await must(cluster, ['apply', '-f', installManifest]);
  await must(cluster, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s']);
  await cluster.restartControllers();
  return cluster;
}

async function listed(admin: KubeApi, kind: Plural, namespace: string | undefined): Promise<readonly SeenObject[]> {
  const path = [groups[kind], ...(namespace === undefined ? [] : ['namespaces', namespace]), kind].join('/');
  return ((await admin.request({ method: 'GET', path })) as { readonly items: readonly SeenObject[] }).items;
}

/** API groups of what a world is full of. */
export const groups = {
  issuers: '/apis/zoneproof.dev/v1alpha1',
  clusterissuers: '/apis/zoneproof.dev/v1alpha1',
  certificates: '/apis/zoneproof.dev/v1alpha1',
  orders: '/apis/zoneproof.dev/v1alpha1',
  secrets: '/api/v1',
  events: '/apis/events.k8s.io/v1',
} as const;
export type Plural = keyof typeof groups;
