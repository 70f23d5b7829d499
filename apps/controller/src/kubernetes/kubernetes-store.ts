import { isDeepStrictEqual } from 'node:util';
import { type Clock, pause, type RandomBytes, type Timers } from '@zoneproof/core';
import type { Certificate, ObjectKey, ObjectOfKind, Order, OrderSpec, Secret } from '../resources/types.ts';
import {
  ConflictError,
  type NewMeta,
  type SecretContent,
  type StatusUpdate,
  type Store,
  type WithStatus,
} from '../store/store.ts';
import type { KubeApi } from './api.ts';
import { isKubeApiError } from './api-error.ts';
import { Attempts, TryAgain } from './attempts.ts';
import { catchUp } from './catch-up.ts';
import { type Collections, followCollections, scopesOf } from './collections.ts';
import { type CachedObject, ObjectCache } from './object-cache.ts';
import { ObjectRequests } from './object-requests.ts';
import { SecretResync } from './secret-resync.ts';
import { SecretVersions } from './secret-versions.ts';
import { Secrets } from './secrets.ts';
import { refresh, type StatusChange, StatusWrites } from './status-writes.ts';

export interface KubernetesStoreOptions {
  readonly api: KubeApi;
  /** Empty: all of them, and ClusterIssuers. */
  readonly namespaces: readonly string[];
  /** Where the Secrets of ClusterIssuers live. */
  readonly clusterResourceNamespace: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  /** Ends everything at once; {@link KubernetesStore.close} writes first what is held. */
  readonly signal: AbortSignal;
  /** Called right before each write leaves; throws when this process may not write any more. */
  readonly beforeWrite?: () => void;
  /** How old the last look at a Secret may become that an Issuer or Certificate refers to. */
  readonly secretResyncMs: number;
  /** Needs the right to list and watch Secrets; only their metadata is read. */
  readonly watchSecrets: boolean;
  /** One line for the log: the API server cannot be followed, and can again. */
  readonly tell?: (message: string) => void;
}

/** How long closing waits for what is held to be written. */
const closeMs = 5_000;

/**
 * The store in Kubernetes. Reads come from a cache that lists and watches keep; a write puts the server's answer there
 * before it resolves. What the server does not answer is asked again until it does, or the store is closed.
 */
export class KubernetesStore implements Store {
  readonly #options: KubernetesStoreOptions;
  readonly #end: AbortController;
  readonly #cache: ObjectCache;
  readonly #requests: ObjectRequests;
  readonly #attempts: Attempts;
  readonly #statuses: StatusWrites;
  readonly #secrets: Secrets;
  readonly #personListeners = new Set<(key: ObjectKey) => void>();
  #collections: Collections | undefined;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(options: KubernetesStoreOptions) {
    const { api, clock, timers, random, beforeWrite, secretResyncMs } = options;
    this.#options = options;
    this.#end = new AbortController();
    const signal = AbortSignal.any([options.signal, this.#end.signal]);
    this.#cache = new ObjectCache();
    this.#attempts = new Attempts({ timers, random, signal });
    this.#requests = new ObjectRequests({ api, signal, beforeWrite });
    this.#statuses = new StatusWrites(this.#cache, this.#requests, this.#attempts, timers);
    const changed = (namespace: string, name: string) => this.#secretChanged(namespace, name);
    this.#versions = new SecretVersions({ clock, random, resyncMs: secretResyncMs, changed });
    this.#secrets = new Secrets({
      api,
      attempts: this.#attempts,
      versions: this.#versions,
      beforeWrite,
      isGone: (namespace, owner) =>
        owner.kind === 'Certificate' && this.get('Certificate', namespace, owner.name) === undefined,
    });
    this.#resync = new SecretResync({
      ...options,
      cache: this.#cache,
      secrets: this.#secrets,
      versions: this.#versions,
      resyncMs: secretResyncMs,
      signal,
    });
  }

  readonly #versions: SecretVersions;
  readonly #resync: SecretResync;

  /**
   * Reads everything once and follows it from there.
   *
   * @throws KubeApiError when the server refuses that: CRDs or rights are missing; the reason of the signal
   */
  static async open(options: KubernetesStoreOptions): Promise<KubernetesStore> {
    const store = new KubernetesStore(options);
    try {
      await store.#start();
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Every collection was read. */
  get hasSynced(): boolean {
    return this.#collections?.hasSynced ?? false;
  }

  /**
   * Resolves when what is known is at least what the API server had at the time of the call. For a process that goes on
   * where another one stopped: what that one wrote last may not have come by the watches yet.
   *
   * @throws KubeApiError when the server refuses it; the reason of the signal
   */
  async catchUp(signal: AbortSignal): Promise<void> {
    const options = {
      ...this.#options,
      tell: () => undefined,
      cache: this.#cache,
      requests: this.#requests,
      signal: AbortSignal.any([signal, this.#attempts.signal]),
    };
    const scopes = scopesOf(this.#options.namespaces);
    await Promise.all(scopes.map(({ kind, namespace }) => catchUp(kind, namespace, options)));
  }

  get<K extends WithStatus>(kind: K, namespace: string, name: string): ObjectOfKind[K] | undefined {
    return this.#cache.get({ kind, namespace, name }) as ObjectOfKind[K] | undefined;
  }

  list<K extends WithStatus>(kind: K): readonly ObjectOfKind[K][] {
    return this.#cache.list(kind) as readonly ObjectOfKind[K][];
  }

  ordersOf({ metadata: { namespace, name } }: Certificate): readonly Order[] {
    return this.#cache.ordersOf(namespace, name);
  }

  watch(listener: (key: ObjectKey) => void): () => void {
    return this.#cache.onChange(listener);
  }

  /**
   * Called when a person changed something: an Issuer, ClusterIssuer or Certificate came, went or has another spec, or
   * a Secret that was read is another one now.
   */
  onPersonsChange(listener: (key: ObjectKey) => void): () => void {
    this.#personListeners.add(listener);
    return () => this.#personListeners.delete(listener);
  }

  async createOrder(meta: NewMeta, spec: OrderSpec): Promise<Order> {
    const key = { kind: 'Order', namespace: meta.namespace, name: meta.name } as const;
    if (this.#cache.get(key) !== undefined) throw alreadyExists(meta);
    return this.#attempts.untilSettled(async (wasLost) => {
      try {
        this.#cache.accept(await this.#requests.createOrder(meta, spec));
      } catch (error) {
        if (!isKubeApiError(error, 'AlreadyExists')) throw error;
        const found = await this.#requests.read(key);
        this.#cache.accept(found);
        if (!wasLost || !isDeepStrictEqual(found.spec, spec)) throw alreadyExists(meta);
      }
      return this.#cache.get(key) as Order;
    });
  }

  async updateStatus<K extends WithStatus>(
    kind: K,
    namespace: string,
    name: string,
    change: (object: ObjectOfKind[K]) => ObjectOfKind[K]['status'],
    { durable = true }: StatusUpdate = {},
  ): Promise<ObjectOfKind[K] | undefined> {
    const key = { kind, namespace, name };
    const write = change as unknown as StatusChange;
    const object = durable ? await this.#statuses.write(key, write) : this.#statuses.hold(key, write);
    return object as ObjectOfKind[K] | undefined;
  }

  async addFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    await this.#attempts.untilSettled(async () => {
      const object = this.#cache.stored(key);
      const finalizers = object?.metadata.finalizers ?? [];
      if (object === undefined || object.metadata.deletedAt !== undefined || finalizers.includes(finalizer)) return;
      await this.#change(key, object, () => this.#requests.replaceFinalizers(object, [...finalizers, finalizer]));
    });
  }

  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    await this.#attempts.untilSettled(async () => {
      const object = this.#cache.stored(key);
      const finalizers = object?.metadata.finalizers ?? [];
      if (object === undefined || !finalizers.includes(finalizer)) return;
      const left = finalizers.filter((name) => name !== finalizer);
      await this.#change(key, object, async () => {
        const changed = await this.#requests.replaceFinalizers(object, left);
        if (changed.metadata.deletedAt === undefined || left.length > 0) return changed;
        return undefined;
      });
    });
  }

  async delete(key: ObjectKey): Promise<void> {
    if (key.kind === 'Secret') return this.#secrets.remove(key.namespace, key.name);
    await this.#attempts.untilSettled(async () => {
      const object = this.#cache.stored(key);
      if (object === undefined || object.metadata.deletedAt !== undefined) return;
      await this.#change(key, object, () => this.#requests.delete(object));
    });
  }

  readSecret(namespace: string, name: string): Promise<Secret | undefined> {
    return this.#secrets.read(namespace, name);
  }

  writeSecret(
    meta: NewMeta,
    content: SecretContent,
    options: { readonly ifAbsent?: boolean } = {},
  ): Promise<'written' | 'exists'> {
    return this.#secrets.write(meta, content, options.ifAbsent ?? false);
  }

  checkSecret(meta: NewMeta, type: string): Promise<void> {
    return this.#secrets.check(meta, type);
  }

  secretVersion(namespace: string, name: string): string | undefined {
    return this.#versions.version(namespace, name);
  }

  async close(): Promise<void> {
    const closing = new AbortController();
    const late = pause(this.#options.timers, closeMs, closing.signal);
    await Promise.race([this.#statuses.flush(), late]);
    closing.abort();
    this.#cache.close();
    this.#personListeners.clear();
    this.#end.abort(new Error('The store is closed.'));
    await this.#running;
  }

  async #start(): Promise<void> {
    const { signal } = this.#attempts;
    this.#collections = followCollections({
      ...this.#options,
      tell: this.#options.tell ?? (() => {}),
      cache: this.#cache,
      versions: this.#versions,
      signal,
    });
    await this.#collections.start();
    this.#cache.onPersonsChange((key) => {
      this.#resync.expire(key);
      this.#personChanged(key);
    });
    this.#running = Promise.all([this.#collections.follow(), this.#resync.run()]);
  }

  /** One write of an object other than its status; the cache has the answer. */
  async #change(key: ObjectKey, object: CachedObject, write: () => Promise<CachedObject | undefined>): Promise<void> {
    try {
      const changed = await write();
      if (changed === undefined) this.#cache.remove(key, object.metadata.uid, 'finally');
      else this.#cache.accept(changed);
    } catch (error) {
      if (isKubeApiError(error, 'NotFound')) {
        this.#cache.remove(key, object.metadata.uid, 'finally');
        return;
      }
      if (!isKubeApiError(error) || error.status !== 409) throw error;
      await refresh(key, this.#cache, this.#requests);
      throw new TryAgain();
    }
  }

  #secretChanged(namespace: string, name: string): void {
    this.#personChanged({ kind: 'Secret', namespace, name });
    for (const key of this.#resync.referrers(namespace, name)) this.#cache.touch(key);
  }

  #personChanged(key: ObjectKey): void {
    for (const listener of this.#personListeners) listener(key);
  }
}

function alreadyExists({ namespace, name }: NewMeta): ConflictError {
  return new ConflictError(`Order ${namespace}/${name} exists already.`);
}
