import type { KubeApi } from './api.ts';
import { isKubeApiError } from './api-error.ts';

const groupVersion = 'zoneproof.dev/v1alpha1';
const plurals = ['issuers', 'clusterissuers', 'certificates', 'orders'];

/**
 * What keeps the API server from serving our kinds, in words for whoever runs the cluster; undefined when it serves all of
 * them. Everybody who may talk to the API server may ask this.
 *
 * @throws KubeApiError when it does not answer
 */
export async function kindsProblem(api: Pick<KubeApi, 'request'>, signal: AbortSignal): Promise<string | undefined> {
  const apply = 'Apply those of this version: zoneproof crds | kubectl apply --server-side -f -';
  let answer: { readonly resources?: readonly { readonly name?: unknown }[] };
  try {
    answer = (await api.request({ method: 'GET', path: `/apis/${groupVersion}`, signal })) as typeof answer;
  } catch (error) {
    if (!isKubeApiError(error) || error.status !== 404) throw error;
    const versions = await servedVersions(api, signal);
    if (versions.length === 0) return `The CustomResourceDefinitions of zoneproof.dev are not installed. ${apply}`;
    return `The CustomResourceDefinitions of zoneproof.dev are installed in version ${versions.join(', ')}; this zoneproof works with v1alpha1. ${apply}`;
  }
  const served = new Set(answer.resources?.map(({ name }) => name));
  const missing = plurals.flatMap((name) => [name, `${name}/status`]).filter((name) => !served.has(name));
  if (missing.length === 0) return undefined;
  return `The API server does not serve ${missing.join(', ')} of ${groupVersion}. ${apply}`;
}

async function servedVersions(api: Pick<KubeApi, 'request'>, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const answer = await api.request({ method: 'GET', path: '/apis/zoneproof.dev', signal });
    const { versions = [] } = answer as { readonly versions?: readonly { readonly version?: unknown }[] };
    return versions.map(({ version }) => String(version));
  } catch (error) {
    if (isKubeApiError(error) && error.status === 404) return [];
    throw error;
  }
}
