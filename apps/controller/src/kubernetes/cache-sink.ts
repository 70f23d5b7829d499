import { readObject } from '../crds/api-form.ts';
import type { WithStatus } from '../store/store.ts';
import type { CollectionSink } from './list-watch.ts';
import { type CachedObject, keyOf, type ObjectCache } from './object-cache.ts';
import { isNewer } from './versions.ts';

/** Puts what is told of one kind, in one namespace or in all, into the cache. */
export function cacheSink(cache: ObjectCache, kind: WithStatus, namespace: string | undefined): CollectionSink {
  let seen = new Set<string>();
  let goneBefore: readonly string[] = [];
  const read = (json: unknown): CachedObject => readObject(kind, json);
  return {
    listBegins() {
      seen = new Set();
      goneBefore = cache.goneOf(kind, namespace);
    },
    listed(json) {
      const { metadata } = json as ListedMeta;
      seen.add(metadata.uid);
      const known = cache.stored({ kind, namespace: metadata.namespace ?? '', name: metadata.name })?.metadata;
      // Most of what a second list tells is known.
      if (known?.uid === metadata.uid && known.resourceVersion === metadata.resourceVersion) return;
      cache.accept(read(json));
    },
    listEnds(version) {
      const missing = [...cache.stock(kind, namespace)].filter(
        ({ metadata }) => !seen.has(metadata.uid) && !isNewer(metadata.resourceVersion, version),
      );
      for (const object of missing) cache.remove(keyOf(object), object.metadata.uid, 'told');
      cache.forgetGone(goneBefore);
      seen = new Set();
    },
    changed: (json) => cache.accept(read(json)),
    deleted(json) {
      const object = read(json);
      cache.remove(keyOf(object), object.metadata.uid, 'told');
    },
  };
}

interface ListedMeta {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}
