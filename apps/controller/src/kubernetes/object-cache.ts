import { isDeepStrictEqual } from 'node:util';
import type { Kind, ObjectKey, ObjectOfKind, Order } from '../resources/types.ts';
import type { WithStatus } from '../store/store.ts';
import { sharing } from './sharing.ts';
import { isNewer } from './versions.ts';

export type CachedObject = ObjectOfKind[WithStatus];

/** From what the API server has to what is shown: changes of a status that are not written yet. */
export type Overlay = (object: CachedObject) => CachedObject;

/**
 * What is known of our kinds: the newest of what lists, watches and the answers to our own writes told, whatever order
 * they came in. Listeners hear of each visible change once.
 */
export class ObjectCache {
  readonly #kinds: Readonly<Record<WithStatus, Map<string, CachedObject>>> = {
    Issuer: new Map(),
    ClusterIssuer: new Map(),
    Certificate: new Map(),
    Order: new Map(),
  };
  /** Paths of Orders by the path of their Certificate. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #overlays = new Map<string, { readonly overlay: Overlay; readonly shown: CachedObject }>();
  /** By uid what we know to be gone: a late event must not bring it back. */
  readonly #gone = new Map<string, ObjectKey>();
  /** An object of each kind, whose parts new ones share. */
  readonly #example = new Map<WithStatus, CachedObject>();
  readonly #listeners = new Set<(key: ObjectKey) => void>();
  readonly #personListeners = new Set<(key: ObjectKey) => void>();

  /** As it is shown: with changes that are not written yet. */
  get(key: ObjectKey): CachedObject | undefined {
    return this.#overlays.get(pathOf(key))?.shown ?? this.stored(key);
  }

  /** As the API server has it. */
  stored({ kind, namespace, name }: ObjectKey): CachedObject | undefined {
    return this.#kinds[kind as WithStatus].get(`${namespace}/${name}`);
  }

  list(kind: WithStatus): readonly CachedObject[] {
    const objects = [...this.#kinds[kind].values()];
    if (this.#overlays.size === 0) return objects;
    return objects.map((object) => this.#overlays.get(pathOf(keyOf(object)))?.shown ?? object);
  }

  ordersOf(namespace: string, certificate: string): readonly Order[] {
    const names = [...(this.#owned.get(`${namespace}/${certificate}`) ?? [])];
    return names
      .map((name) => this.get({ kind: 'Order', namespace, name }))
      .filter((order) => order !== undefined) as readonly Order[];
  }

  onChange(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called when an Issuer, ClusterIssuer or Certificate came, went, or has another spec. */
  onPersonsChange(listener: (key: ObjectKey) => void): () => void {
    this.#personListeners.add(listener);
    return () => this.#personListeners.delete(listener);
  }

  /** Tells the listeners of an object although it did not change itself. */
  touch(key: ObjectKey): void {
    this.#tell(this.#listeners, key);
  }

  /** Takes what the API server told of an object, unless something newer is known. */
  accept(object: CachedObject): void {
    const { kind, metadata } = object;
    const key = keyOf(object);
    const known = this.stored(key);
    if (this.#gone.has(metadata.uid)) return;
    if (known !== undefined && !isNewer(metadata.resourceVersion, known.metadata.resourceVersion)) return;
    const before = this.get(key);
    const stored = sharing(object, before ?? this.#example.get(kind));
    this.#example.set(kind, stored);
    this.#kinds[kind].set(`${metadata.namespace}/${metadata.name}`, stored);
    this.#noteOwner(known, stored);
    this.#showAgain(key, stored);
    if (isSameButVersion(before, this.get(key))) return;
    const isSameSpec = known?.metadata.uid === metadata.uid && known.metadata.generation === metadata.generation;
    // First that a person did it: who looks at the object then knows.
    if (kind !== 'Order' && !isSameSpec) this.#tell(this.#personListeners, key);
    this.#tell(this.#listeners, key);
  }

  /** The object with this uid is gone. `finally`: we made sure ourselves, while older events may still be on the way. */
  remove(key: ObjectKey, uid: string, how: 'told' | 'finally'): void {
    if (how === 'finally') this.#gone.set(uid, key);
    else this.#gone.delete(uid);
    const known = this.stored(key);
    if (known?.metadata.uid !== uid) return;
    this.#kinds[known.kind].delete(`${key.namespace}/${key.name}`);
    this.#overlays.delete(pathOf(key));
    this.#noteOwner(known, undefined);
    if (known.kind !== 'Order') this.#tell(this.#personListeners, key);
    this.#tell(this.#listeners, key);
  }

  /** Shows an object with changes that are not written yet; undefined: as it is stored. */
  overlay(key: ObjectKey, overlay: Overlay | undefined): void {
    const stored = this.stored(key);
    const before = this.get(key);
    if (overlay === undefined || stored === undefined) this.#overlays.delete(pathOf(key));
    else this.#overlays.set(pathOf(key), { overlay, shown: overlay(stored) });
    if (!isSameButVersion(before, this.get(key))) this.#tell(this.#listeners, key);
  }

  /** What is known of a kind, in one namespace or in all. */
  *stock(kind: WithStatus, namespace: string | undefined): Iterable<CachedObject> {
    for (const object of this.#kinds[kind].values())
      if (namespace === undefined || object.metadata.namespace === namespace) yield object;
  }

  /** Uids of what is known to be gone, for {@link forgetGone}. */
  goneOf(kind: WithStatus, namespace: string | undefined): readonly string[] {
    const gone = [...this.#gone].filter(
      ([, key]) => key.kind === kind && (namespace === undefined || key.namespace === namespace),
    );
    return gone.map(([uid]) => uid);
  }

  /** No event of these can come any more. */
  forgetGone(uids: readonly string[]): void {
    for (const uid of uids) this.#gone.delete(uid);
  }

  close(): void {
    this.#listeners.clear();
    this.#personListeners.clear();
  }

  #showAgain(key: ObjectKey, stored: CachedObject): void {
    const path = pathOf(key);
    const shown = this.#overlays.get(path);
    if (shown !== undefined) this.#overlays.set(path, { ...shown, shown: shown.overlay(stored) });
  }

  #noteOwner(before: CachedObject | undefined, after: CachedObject | undefined): void {
    const [left, taken] = [ownerPath(before), ownerPath(after)];
    if (left === taken) return;
    if (before !== undefined && left !== undefined) {
      const owned = this.#owned.get(left);
      owned?.delete(before.metadata.name);
      if (owned?.size === 0) this.#owned.delete(left);
    }
    if (after !== undefined && taken !== undefined)
      this.#owned.set(taken, (this.#owned.get(taken) ?? new Set()).add(after.metadata.name));
  }

  #tell(listeners: ReadonlySet<(key: ObjectKey) => void>, key: ObjectKey): void {
    for (const listener of listeners) listener(key);
  }
}

export function keyOf({ kind, metadata: { namespace, name } }: CachedObject): ObjectKey {
  return { kind, namespace, name };
}

export function pathOf({ kind, namespace, name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}

function ownerPath(object: CachedObject | undefined): string | undefined {
  const { owner, namespace } = object?.metadata ?? {};
  return object?.kind === 'Order' && owner?.kind === ('Certificate' satisfies Kind)
    ? `${namespace}/${owner.name}`
    : undefined;
}

function isSameButVersion(before: CachedObject | undefined, after: CachedObject | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const { resourceVersion } = before.metadata;
  return (
    isEqual(before.spec, after.spec) &&
    isEqual(before.status, after.status) &&
    isEqual(before.metadata, { ...after.metadata, resourceVersion })
  );
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
