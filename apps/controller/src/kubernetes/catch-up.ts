import { resourcePath } from '../crds/api-form.ts';
import type { ObjectKey } from '../resources/types.ts';
import type { WithStatus } from '../store/store.ts';
import { isKubeApiError } from './api-error.ts';
import { type CollectionSink, ListWatch, type ListWatchOptions } from './list-watch.ts';
import { keyOf, type ObjectCache } from './object-cache.ts';
import type { ObjectRequests } from './object-requests.ts';
import { metadataOnly, metadataOnlyList } from './secrets.ts';
import { isNewer } from './versions.ts';

export interface CatchUpOptions extends Omit<ListWatchOptions, 'path' | 'accept' | 'sink'> {
  readonly cache: ObjectCache;
  readonly requests: Pick<ObjectRequests, 'read'>;
}

/**
 * Brings what is known of a kind to where the API server is now. A watch is behind by what is on the way, and one whose
 * connection died by a minute and a half: too much for a process that goes on where another one stopped. The list tells
 * versions only; what changed is read.
 *
 * @throws KubeApiError when the server refuses it; the reason of the signal
 */
export async function catchUp(kind: WithStatus, namespace: string | undefined, options: CatchUpOptions): Promise<void> {
  const { cache, requests } = options;
  const seen = new Set<string>();
  let changed: ObjectKey[] = [];
  const sink: CollectionSink = {
    listBegins() {
      seen.clear();
      changed = [];
    },
    listed(json) {
      const { metadata } = json as ListedMeta;
      const key = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
      const known = cache.stored(key)?.metadata;
      seen.add(metadata.uid);
      if (known?.uid !== metadata.uid || known.resourceVersion !== metadata.resourceVersion) changed.push(key);
    },
    listEnds(version) {
      for (const object of [...cache.stock(kind, namespace)])
        if (!seen.has(object.metadata.uid) && !isNewer(object.metadata.resourceVersion, version))
          cache.remove(keyOf(object), object.metadata.uid, 'finally');
    },
    changed: () => undefined,
    deleted: () => undefined,
  };
  const accept = { object: metadataOnly, list: metadataOnlyList };
  await new ListWatch({ ...options, path: resourcePath(kind, namespace), accept, sink }).start();
  await Promise.all(changed.map((key) => readAgain(key, cache, requests)));
}

async function readAgain(key: ObjectKey, cache: ObjectCache, requests: CatchUpOptions['requests']): Promise<void> {
  try {
    cache.accept(await requests.read(key));
  } catch (error) {
    // Gone since the list: the watch tells.
    if (!isKubeApiError(error, 'NotFound')) throw error;
  }
}

interface ListedMeta {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}
