import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '../process.ts';
import { type ApiServerHome, prepareApiServer, startApiServer } from './api-server.ts';
import { type AuditEntry, AuditLog } from './audit.ts';
import { startControllerManager } from './controller-manager.ts';
import { type Etcd, startEtcd } from './etcd.ts';
import { type Faults, startFaults } from './faults.ts';
import { runKubectl } from './kubectl.ts';
import { type ClusterUser, credentialsFor, writeKubeconfig } from './users.ts';

export interface ClusterOptions {
  /** kube-controller-manager with its namespace and garbage-collector controllers; true when left out. */
  readonly controllers?: boolean;
}

/** etcd, kube-apiserver and kube-controller-manager on loopback. There are no nodes: Pods never run. */
export interface Cluster {
  /** `https://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  /** PEM of the root to trust. */
  readonly rootPem: string;
  /** File name. */
  readonly adminKubeconfig: string;
  /** The bearer token of the same user. */
  readonly adminToken: string;
  /** The servers that run at the moment. */
  servers(): readonly RunningServer[];
  /**
   * Writes a kubeconfig of somebody who may do only what RBAC allows; the file's name. A ServiceAccount has to exist
   * and gets a token, anybody else a client certificate.
   */
  kubeconfigFor(user: ClusterUser): Promise<string>;
  /**
   * As the admin, unless `args` has another `--kubeconfig`.
   *
   * @throws Error when it has not ended after 3 minutes
   */
  kubectl(
    args: readonly string[],
    input?: string,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** All requests for resources so far but those of the API server itself, in the order in which they came in. */
  audit(): Promise<readonly AuditEntry[]>;
  /** As a machine that goes down: half a second for what it is answering, then all connections end. */
  stopApiServer(): Promise<void>;
  /** On the same port, with the same objects. */
  startApiServer(): Promise<void>;
  /**
   * Throws away all past revisions in etcd. The API server answers watches from its own memory of the past: only one
   * that was restarted says "too old resource version".
   */
  compactEtcd(): Promise<void>;
  /** The garbage collector looks for new kinds twice a minute: started anew it knows those of CRDs that are there now. */
  restartControllers(): Promise<void>;
  /** A proxy before the API server for bad days. Any number of them can run. */
  faults(): Promise<Faults>;
  /**
   * Ends all of it and removes its files. Repeating it is harmless.
   *
   * @throws Error with the end of its log when a server had died before
   */
  stop(): Promise<void>;
}

/**
 * Starts a cluster of one's own: about 4 s and 400 MB.
 *
 * @throws Error with the server's own words when one does not start, or how to install what is missing
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-cluster-'));
  const running = new Servers();
  try {
    const etcd = await startEtcd();
    running.add(etcd);
    const home = await prepareApiServer(directory, etcd.url);
    running.add(await startApiServer(home));
    const kubeconfigs = await systemKubeconfigs(home);
    if (options.controllers !== false) running.add(await startControllerManager(kubeconfigs.controllers));
    return cluster(home, etcd, running, kubeconfigs);
  } catch (error) {
    await running.stop().catch(() => {});
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

function cluster(home: ApiServerHome, etcd: Etcd, running: Servers, kubeconfigs: SystemKubeconfigs): Cluster {
  const { directory, tls, adminToken } = home;
  const url = urlOf(home);
  const log = new AuditLog(home.auditFile);
  const proxies: Faults[] = [];
  const stop = async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    try {
      await running.stop();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    rootPem: tls.rootPem,
    adminKubeconfig: kubeconfigs.admin,
    adminToken,
    servers: () => running.list(),
    kubeconfigFor: async (user) => {
      const credentials = await credentialsFor(home, user);
      return writeKubeconfig(directory, { url, rootPem: tls.rootPem }, user, credentials);
    },
    kubectl: (args, input) => runKubectl(kubeconfigs.admin, directory, args, input),
    audit: () => log.entries(),
    stopApiServer: async () => {
      await running.stopOne('kube-apiserver');
      await log.serverStopped();
    },
    startApiServer: async () => running.add(await startApiServer(home)),
    compactEtcd: () => etcd.compact(),
    restartControllers: async () => {
      await running.stopOne('kube-controller-manager');
      running.add(await startControllerManager(kubeconfigs.controllers));
    },
    faults: async () => {
      const proxy = await startFaults(home);
      proxies.push(proxy);
      return proxy;
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface SystemKubeconfigs {
  readonly admin: string;
  readonly controllers: string;
}

async function systemKubeconfigs(home: ApiServerHome): Promise<SystemKubeconfigs> {
  const server = { url: urlOf(home), rootPem: home.tls.rootPem };
  const write = (name: string, token: string) => writeKubeconfig(home.directory, server, { name }, { token });
  return {
    admin: await write('admin', home.adminToken),
    controllers: await write('system:kube-controller-manager', home.controllerToken),
  };
}

function urlOf(home: ApiServerHome): string {
  return `https://127.0.0.1:${home.port}`;
}

/** What runs, in the order in which it was started; stopped in the opposite order. */
class Servers {
  #running: readonly RunningServer[] = [];

  list(): readonly RunningServer[] {
    return this.#running;
  }

  add(server: RunningServer): void {
    this.#running = [...this.#running, server];
  }

  /** @throws Error when no server of that name runs, or with its log when it had died */
  async stopOne(name: string): Promise<void> {
    const server = this.#running.find((each) => each.name === name);
    if (server === undefined) throw new Error(`${name} does not run`);
    this.#running = this.#running.filter((each) => each !== server);
    await server.stop();
  }

  /** @throws the first error, after all have been stopped */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (const server of [...this.#running].reverse()) await server.stop().catch((error) => errors.push(error));
    this.#running = [];
    if (errors.length > 0) throw errors[0];
  }
}
