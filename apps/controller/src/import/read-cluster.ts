import type { KubeApi } from '../kubernetes/api.ts';
import { isKubeApiError } from '../kubernetes/api-error.ts';
import { pagesOf } from '../kubernetes/pages.ts';
import { type GivenSecret, type Read, readForeign } from './objects.ts';
import { isFields } from './rules.ts';

const group = '/apis/cert-manager.io/v1';

/**
 * The Issuers, ClusterIssuers and Certificates of a cluster or of one namespace. Of Secrets only those are read whose
 * content belongs into an Issuer of ours (an access key id).
 *
 * @throws KubeApiError
 */
export async function readCluster(api: KubeApi, namespace: string | undefined, signal: AbortSignal): Promise<Read> {
  const within = namespace === undefined ? group : `${group}/namespaces/${namespace}`;
  const paths = [`${within}/issuers`, `${group}/clusterissuers`, `${within}/certificates`];
  const objects: Read['objects'][number][] = [];
  for (const path of paths)
    for await (const page of pagesOf(api, path, signal)) objects.push(...readForeign(page, () => ({})).objects);
  const secrets: GivenSecret[] = [];
  for (const { spec, namespace: own } of objects)
    for (const name of accessKeyIdSecrets(spec)) {
      const path = `/api/v1/namespaces/${own ?? 'cert-manager'}/secrets/${name}`;
      const secret = await getIfThere(api, path, signal);
      secrets.push(...readForeign(secret, () => ({})).secrets);
    }
  return { objects, secrets };
}

async function getIfThere(api: KubeApi, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await api.request({ method: 'GET', path, signal });
  } catch (error) {
    // Without the right to read it, the finding about the field says what to do.
    if (isKubeApiError(error) && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

/** Names in every `accessKeyIDSecretRef`. */
function accessKeyIdSecrets(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(accessKeyIdSecrets);
  if (!isFields(value)) return [];
  const { accessKeyIDSecretRef: ref } = value;
  const own = isFields(ref) && typeof ref.name === 'string' && ref.name !== '' ? [ref.name] : [];
  return [...own, ...Object.values(value).flatMap(accessKeyIdSecrets)];
}
