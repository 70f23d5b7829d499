import type { Clock, RandomBytes, Timers } from '@zoneproof/core';
import { resourcePath } from '../crds/api-form.ts';
import type { WithStatus } from '../store/store.ts';
import type { KubeApi } from './api.ts';
import { isKubeApiError, KubeApiError } from './api-error.ts';
import { cacheSink } from './cache-sink.ts';
import { ListWatch } from './list-watch.ts';
import type { ObjectCache } from './object-cache.ts';
import { secretPath } from './secret-json.ts';
import { secretSink } from './secret-sink.ts';
import type { SecretVersions } from './secret-versions.ts';
import { metadataOnly, metadataOnlyList } from './secrets.ts';

export interface CollectionsOptions {
  readonly api: KubeApi;
  readonly cache: ObjectCache;
  readonly versions: SecretVersions;
  /** Empty: all of them, and ClusterIssuers. */
  readonly namespaces: readonly string[];
  readonly clusterResourceNamespace: string;
  readonly watchSecrets: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
}

/** Everything that is listed and watched. */
export interface Collections {
  readonly hasSynced: boolean;
  /** Reads all for the first time. @throws KubeApiError when the server refuses one of them */
  start(): Promise<void>;
  /** Follows all until the signal ends it. */
  follow(): Promise<void>;
}

export function followCollections(options: CollectionsOptions): Collections {
  const watches = [...objectWatches(options), ...(options.watchSecrets ? secretWatches(options) : [])];
  return {
    get hasSynced() {
      return watches.every((watch) => watch.hasSynced);
    },
    async start() {
      try {
        await Promise.all(watches.map((watch) => watch.start()));
      } catch (error) {
        throw isKubeApiError(error) ? withAdvice(error) : error;
      }
    },
    async follow() {
      await Promise.all(watches.map((watch) => watch.follow()));
    },
  };
}

/** What is followed: each kind in each namespace, or everywhere. */
export function scopesOf(
  namespaces: readonly string[],
): readonly { readonly kind: WithStatus; readonly namespace: string | undefined }[] {
  const isWholeCluster = namespaces.length === 0;
  const scopes = isWholeCluster ? [undefined] : namespaces;
  const inScopes = (['Issuer', 'Certificate', 'Order'] as const).flatMap((kind) =>
    scopes.map((namespace) => ({ kind, namespace })),
  );
  return isWholeCluster ? [...inScopes, { kind: 'ClusterIssuer' as const, namespace: undefined }] : inScopes;
}

function objectWatches(options: CollectionsOptions): readonly ListWatch[] {
  const { namespaces, cache } = options;
  return scopesOf(namespaces).map(
    ({ kind, namespace }) =>
      new ListWatch({ ...options, path: resourcePath(kind, namespace), sink: cacheSink(cache, kind, namespace) }),
  );
}

function secretWatches(options: CollectionsOptions): readonly ListWatch[] {
  const { namespaces, versions } = options;
  const paths = namespaces.length === 0 ? ['/api/v1/secrets'] : namespaces.map((namespace) => secretPath(namespace));
  const accept = { object: metadataOnly, list: metadataOnlyList };
  return paths.map((path) => new ListWatch({ ...options, path, accept, sink: secretSink(versions) }));
}

/** What a person has to do when a collection cannot be read at all. */
function withAdvice({ status, reason, message }: KubeApiError): KubeApiError {
  const advice: Readonly<Record<number, string>> = {
    401: 'Check the credentials of the kubeconfig or the service account.',
    403: 'Give this identity the rights of the shipped RBAC, or limit it to namespaces by --namespace.',
    404: 'Install the CRDs: zoneproof crds | kubectl apply --server-side -f -',
  };
  return new KubeApiError({
    status,
    reason,
    message: `${message.replace(/\.?$/, '.')} ${advice[status] ?? ''}`.trim(),
  });
}
