import { createRegistry, type ProviderPlugin, type ProviderRegistry } from '@zoneproof/core';
import { type Cluster, startCluster } from '@zoneproof/farm';
import { crdDocuments } from '../documents.ts';

/** A registry of plugins at hand. */
export function registryOf(plugins: readonly ProviderPlugin[]): ProviderRegistry {
  return createRegistry(
    plugins.map(({ key }) => ({ key, packageName: `given-${key}`, version: '1.0.0', directory: '' })),
    { importPlugin: async ({ key }) => ({ plugin: plugins.find((one) => one.key === key) }) },
  );
}

/** An API server that knows our kinds, with the blocks of `plugins`. */
export async function startClusterWithCrds(plugins: readonly ProviderPlugin[]): Promise<Cluster> {
  const cluster = await startCluster({ controllers: false });
  try {
    await must(cluster, ['apply', '-f', '-'], await crdList(plugins));
    await must(cluster, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s']);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** What `zoneproof crds -o json` prints. */
export async function crdList(plugins: readonly ProviderPlugin[]): Promise<string> {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: await crdDocuments(registryOf(plugins)) });
}

/** What kubectl prints. @throws Error with its words when it fails */
export async function must(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}
