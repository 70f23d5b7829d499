import type { CollectionSink } from './list-watch.ts';
import type { SecretMeta } from './secret-json.ts';
import type { SecretVersions } from './secret-versions.ts';

/** Takes the watch of all Secrets of a namespace, or of all namespaces: of each no more than its name and version. */
export function secretSink(versions: SecretVersions): CollectionSink {
  const known = new Map<string, SecretMeta>();
  let missing = new Map<string, SecretMeta>();
  const present = (json: unknown): void => {
    const { namespace = '', name, uid, resourceVersion } = metaOf(json);
    const path = `${namespace}/${name}`;
    known.set(path, { namespace, name, uid, resourceVersion });
    missing.delete(path);
    // What nobody has read yet is no news to anybody.
    if (versions.isKnown(namespace, name)) versions.seen(namespace, name, metaOf(json));
  };
  const absent = ({ namespace = '', name }: SecretMeta, version: string): void => {
    known.delete(`${namespace}/${name}`);
    versions.gone(namespace, name, version);
  };
  return {
    listBegins() {
      missing = new Map(known);
    },
    listed: present,
    listEnds(version) {
      for (const meta of missing.values()) absent(meta, version);
    },
    changed: present,
    deleted: (json) => absent(metaOf(json), metaOf(json).resourceVersion),
  };
}

function metaOf(json: unknown): SecretMeta {
  return (json as { readonly metadata: SecretMeta }).metadata;
}
