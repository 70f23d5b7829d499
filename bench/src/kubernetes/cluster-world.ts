import { readFile } from 'node:fs/promises';
import { type Cluster, startCluster } from '@zoneproof/farm';
import { startWorld, type World } from '../world.ts';
import { type AdminApi, adminApi } from './api.ts';
import { issuerObjects } from './objects.ts';

/** An API server with our CRDs and the shipped rights; BIND and pebble. */
export interface ClusterWorld {
  readonly cluster: Cluster;
  readonly servers: World;
  readonly admin: AdminApi;
  /** Of the shipped service account. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const shipped = new URL('../../../deploy/manifests/', import.meta.url);

export async function startClusterWorld(): Promise<ClusterWorld> {
  const servers = await startWorld(0);
  try {
    const cluster = await startCluster();
    try {
      for (const file of ['crds.yaml', 'cluster.yaml'])
        await kubectl(cluster, ['apply', '--server-side', '-f', '-'], await readFile(new URL(file, shipped), 'utf8'));
      await kubectl(cluster, ['wait', '--for', 'condition=Established', 'crd', '--all']);
      await cluster.restartControllers();
      const items = issuerObjects(servers);
      await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      const admin = adminApi(cluster);
      const kubeconfig = await cluster.kubeconfigFor({ name: 'system:serviceaccount:zoneproof:zoneproof' });
      const stop = async () => {
        admin.close();
        await cluster.stop();
        await servers.stop();
      };
      return { cluster, servers, admin, kubeconfig, stop };
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

export async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}
