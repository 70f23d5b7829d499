import type { Kind, ObjectKey, ObjectMeta, ObjectOfKind, Order, OrderSpec } from '../resources/types.ts';

/** What a new object needs; the store fills in the rest. */
export type NewMeta = Pick<ObjectMeta, 'namespace' | 'name'> &
  Partial<Pick<ObjectMeta, 'owner' | 'finalizers' | 'labels' | 'annotations'>>;

/** All entries of a Secret. */
export interface SecretContent {
  readonly type: string;
  readonly data: Readonly<Record<string, string | Uint8Array>>;
}

export type WithStatus = Exclude<Kind, 'Secret'>;

export interface StatusUpdate {
  /**
   * False: news that a restart would find out again, such as how far a challenge is. Reads see it when the update
   * resolves; where a write costs a request it may go with the next one of the same object, or 10 s later. Default true.
   */
  readonly durable?: boolean;
}

/**
 * Where resources live: a directory of manifests with a state directory, or a Kubernetes API server.
 *
 * Reads come from a cache in memory and are synchronous but for Secrets. Writes are durable when they resolve, unless
 * they say otherwise.
 */
export interface Store {
  get<K extends WithStatus>(kind: K, namespace: string, name: string): ObjectOfKind[K] | undefined;
  list<K extends WithStatus>(kind: K): readonly ObjectOfKind[K][];
  /** The Orders that a Certificate owns. */
  ordersOf(certificate: ObjectOfKind['Certificate']): readonly Order[];
  /** Called after each change, with the key only: what happened is for the reader to find out. */
  watch(listener: (key: ObjectKey) => void): () => void;

  /** @throws ConflictError when an Order of that name exists */
  createOrder(meta: NewMeta, spec: OrderSpec): Promise<Order>;
  /**
   * Applies a pure change to the stored status. The change may run more than once (on a conflict, with what is stored
   * by then) and returns its argument to leave things as they are. Undefined when the object is gone.
   */
  updateStatus<K extends WithStatus>(
    kind: K,
    namespace: string,
    name: string,
    change: (object: ObjectOfKind[K]) => ObjectOfKind[K]['status'],
    options?: StatusUpdate,
  ): Promise<ObjectOfKind[K] | undefined>;
  /** Adds a finalizer, unless it is there or the object is being deleted or gone. */
  addFinalizer(key: ObjectKey, finalizer: string): Promise<void>;
  /** Removes a finalizer; the object goes when it was deleted and this was the last one. */
  removeFinalizer(key: ObjectKey, finalizer: string): Promise<void>;
  /** Asks for deletion: finalizers are waited for. Deleting what is not there is done. */
  delete(key: ObjectKey): Promise<void>;

  /** Undefined when there is no such Secret. @throws SecretUnreadableError when it is there and cannot be read */
  readSecret(namespace: string, name: string): Promise<ObjectOfKind['Secret'] | undefined>;
  /**
   * Writes all entries of a Secret together, so that no reader sees a key and a certificate that do not belong
   * together. `ifAbsent`: leaves an existing Secret alone and says so.
   *
   * @throws ForeignSecretError when the Secret exists and someone else owns it
   */
  writeSecret(
    meta: NewMeta,
    content: SecretContent,
    options?: { readonly ifAbsent?: boolean },
  ): Promise<'written' | 'exists'>;

  /** @throws ForeignSecretError when `writeSecret` of this object would: asked before anything is paid for in vain */
  checkSecret(meta: NewMeta, type: string): Promise<void>;
  /**
   * A word that is another one when a Secret was changed since it was read, where the store looks after Secrets itself
   * and tells whoever refers to one. A store without this does not: its Secrets have to be read again.
   */
  secretVersion?(namespace: string, name: string): string | undefined;

  close(): Promise<void>;
}

/** For what a restart would find out again: see {@link StatusUpdate}. */
export const news: StatusUpdate = { durable: false };

export class ConflictError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConflictError';
  }
}

export class SecretUnreadableError extends Error {
  /** The store is in trouble, which passes by itself; else somebody has to act. */
  readonly isTransient: boolean;

  constructor(message: string, cause?: unknown, isTransient = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SecretUnreadableError';
    this.isTransient = isTransient;
  }
}

export class ForeignSecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ForeignSecretError';
  }
}
