import { readObject, resourcePath, statusJson } from '../crds/api-form.ts';
import { isKubeApiError, type KubeApi } from '../kubernetes/index.ts';
import { pagesOf } from '../kubernetes/pages.ts';
import type { ObjectOfKind } from '../resources/types.ts';
import type { WithStatus } from '../store/store.ts';
import { type ClusterOptions, connectCluster, rethrow } from './connect-cluster.ts';
import { type CommandContext, CommandError } from './context.ts';
import { describeObjects } from './output/status-report.ts';
import type { StatusReport } from './output/status-schema.ts';
import { untilStopped } from './signals.ts';

export interface FromCluster extends ClusterOptions {
  readonly fromCluster: boolean;
}

/** Runs `work` with a connection to the cluster. @throws CommandError for what the cluster refuses */
export async function withCluster<T>(
  options: ClusterOptions,
  context: CommandContext,
  work: (api: KubeApi, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = untilStopped(context.inputs.signal);
  try {
    const { signal } = stopping;
    const api = await connectCluster(options, context, { signal, onRequest: () => undefined });
    try {
      return await work(api, signal).catch(rethrow);
    } finally {
      api.close();
    }
  } finally {
    stopping.release();
  }
}

/** What `status` shows of a cluster, or of one namespace and the ClusterIssuers. */
export async function readClusterStatus(
  api: KubeApi,
  namespace: string | undefined,
  now: number,
  signal: AbortSignal,
): Promise<StatusReport> {
  const [issuers, clusterIssuers, certificates, orders] = await Promise.all([
    listOf(api, 'Issuer', namespace, signal),
    // They take a right of their own, which a user of one namespace may not have.
    listOf(api, 'ClusterIssuer', undefined, signal).catch(noneWhenForbidden),
    listOf(api, 'Certificate', namespace, signal),
    listOf(api, 'Order', namespace, signal),
  ]);
  return {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Status',
    time: new Date(now).toISOString(),
    cluster: api.server.href,
    ...describeObjects({ issuers: [...issuers, ...clusterIssuers], certificates, orders }),
  };
}

/**
 * Asks for the renewal of a certificate. Whoever may change the status of Certificates may.
 *
 * @throws CommandError when there is no such Certificate; KubeApiError
 */
export async function requestRenewal(
  api: KubeApi,
  namespace: string,
  name: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const path = `${resourcePath('Certificate', namespace, name)}/status`;
  const body = { status: statusJson('Certificate', { renewRequestedAt: now }) };
  try {
    await api.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json', signal });
  } catch (error) {
    if (!isKubeApiError(error) || error.status !== 404) throw error;
    throw new CommandError(
      `there is no certificate ${name} in namespace ${namespace}. zoneproof status --from-cluster lists those there are.`,
    );
  }
}

async function listOf<K extends WithStatus>(
  api: KubeApi,
  kind: K,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly ObjectOfKind[K][]> {
  const objects: ObjectOfKind[K][] = [];
  for await (const { items = [] } of pagesOf(api, resourcePath(kind, namespace), signal))
    for (const item of items) objects.push(readObject(kind, item));
  return objects;
}

function noneWhenForbidden(error: unknown): readonly [] {
  if (isKubeApiError(error) && error.status === 403) return [];
  throw error;
}
