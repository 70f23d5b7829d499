import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@zoneproof/core';
import type { ManifestObject } from '../manifests/index.ts';
import type {
  Certificate,
  Issuer,
  ObjectKey,
  ObjectMeta,
  ObjectOfKind,
  Order,
  OrderSpec,
  Secret,
} from '../resources/types.ts';
import { makeDirectory } from './atomic-file.ts';
import { type ControlSocket, lockStateDir } from './control-socket.ts';
import { DurableMap, readDurableMap } from './durable-map.ts';
import { removeLeftovers } from './leftovers.ts';
import { secretData } from './secret-data.ts';
import { readSecretDirectory, SecretFiles } from './secret-files.ts';
import { prepareFormat, StateDirError } from './state-format.ts';
import { ConflictError, ForeignSecretError, type NewMeta, type Store, type WithStatus } from './store.ts';

export interface FileStoreOptions {
  readonly stateDir: string;
  /** A directory of mounted secrets, `NAME/ENTRY`, read at each use. */
  readonly secretsDir?: string;
  readonly clock: Clock;
}

type AnyObject = ObjectOfKind[WithStatus];

/** Changes of one object that wait for the write before them; all of them go into the next one. */
interface PendingChange {
  readonly change: (object: AnyObject | undefined) => AnyObject | undefined;
  readonly done: (object: AnyObject | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The standalone store. Manifests are the desired state, kept in memory and copied to the state directory with the
 * statuses; Orders and the Secrets that zoneproof makes live in the state directory alone. One process at a time.
 */
export class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #lock: ControlSocket;
  readonly #secretFiles: SecretFiles;
  readonly #objects: DurableMap<AnyObject>;
  readonly #pending = new Map<string, PendingChange[]>();
  /** Paths of Orders by the path of their Certificate. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #listeners = new Set<(key: ObjectKey) => void>();
  #manifestSecrets: ReadonlyMap<string, Secret> = new Map();
  #version = 0;

  private constructor(options: FileStoreOptions, lock: ControlSocket, objects: DurableMap<AnyObject>) {
    this.#options = options;
    this.#lock = lock;
    this.#objects = objects;
    for (const object of objects.values()) {
      this.#noteOwner(pathOf(object.kind, object.metadata), object);
      this.#version = Math.max(this.#version, Number(object.metadata.resourceVersion));
    }
    this.#secretFiles = new SecretFiles(options.stateDir);
  }

  /** @throws StateDirError when the directory is in use, damaged, or of a newer format */
  static async open(options: FileStoreOptions): Promise<FileStore> {
    try {
      await makeDirectory(options.stateDir);
    } catch (error) {
      throw new StateDirError(`${options.stateDir} cannot be made (${(error as NodeJS.ErrnoException).code}).`, error);
    }
    const lock = await lockStateDir(options.stateDir);
    try {
      await prepareFormat(options.stateDir);
      removeLeftovers(options.stateDir);
      return new FileStore(options, lock, await DurableMap.open(objectsPath(options.stateDir)));
    } catch (error) {
      await lock.close();
      throw error;
    }
  }

  /** The way in for other commands. */
  get control(): ControlSocket {
    return this.#lock;
  }

  /**
   * Makes the manifests the desired state as a whole: what is new or different is stored, what is gone is deleted.
   * Certificates already issued stay on disk.
   */
  async applyManifests(manifests: readonly ManifestObject[]): Promise<void> {
    this.#manifestSecrets = new Map(
      manifests
        .filter((object) => object.kind === 'Secret')
        .map((object) => [`${object.namespace}/${object.name}`, this.#manifestSecret(object)]),
    );
    const wanted = manifests.filter((object) => object.kind !== 'Secret');
    const names = new Set(wanted.map((object) => pathOf(object.kind, object)));
    const gone = [...this.#objects.values()].filter(
      (object) => object.kind !== 'Order' && !names.has(pathOf(object.kind, object.metadata)),
    );
    await Promise.all([
      ...wanted.map((object) => this.#applyManifest(object)),
      ...gone.map((object) => this.delete({ kind: object.kind, ...object.metadata })),
    ]);
    for (const object of this.#objects.values()) this.#notify(object);
  }

  get<K extends WithStatus>(kind: K, namespace: string, name: string): ObjectOfKind[K] | undefined {
    return this.#objects.get(pathOf(kind, { namespace, name })) as ObjectOfKind[K] | undefined;
  }

  list<K extends WithStatus>(kind: K): readonly ObjectOfKind[K][] {
    return [...this.#objects.values()].filter((object) => object.kind === kind) as ObjectOfKind[K][];
  }

  ordersOf({ metadata }: Certificate): readonly Order[] {
    const path = pathOf('Certificate', metadata);
    return [...(this.#owned.get(path) ?? [])]
      .map((key) => this.#objects.get(key))
      .filter((order) => order?.kind === 'Order');
  }

  watch(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async createOrder(meta: NewMeta, spec: OrderSpec): Promise<Order> {
    const created = await this.#change('Order', meta, (existing) => {
      if (existing !== undefined) throw new ConflictError(`Order ${meta.namespace}/${meta.name} exists already.`);
      return { kind: 'Order', metadata: this.#newMeta(meta), spec, status: {} };
    });
    return created as Order;
  }

  async updateStatus<K extends WithStatus>(
    kind: K,
    namespace: string,
    name: string,
    change: (object: ObjectOfKind[K]) => ObjectOfKind[K]['status'],
  ): Promise<ObjectOfKind[K] | undefined> {
    const changed = await this.#change(kind, { namespace, name }, (existing) => {
      if (existing === undefined) return undefined;
      const status = change(existing as ObjectOfKind[K]);
      return status === existing.status ? existing : ({ ...existing, status } as AnyObject);
    });
    return changed as ObjectOfKind[K] | undefined;
  }

  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    await this.#change(key.kind as WithStatus, key, (existing) => {
      if (existing === undefined) return undefined;
      const finalizers = (existing.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      if (existing.metadata.deletedAt !== undefined && finalizers.length === 0) return undefined;
      return { ...existing, metadata: { ...existing.metadata, finalizers } } as AnyObject;
    });
  }

  async delete(key: ObjectKey): Promise<void> {
    if (key.kind === 'Secret') {
      await this.#secretFiles.remove(key.namespace, key.name);
      return;
    }
    await this.#change(key.kind, key, (existing) => {
      if (existing === undefined || (existing.metadata.finalizers ?? []).length === 0) return undefined;
      if (existing.metadata.deletedAt !== undefined) return existing;
      return { ...existing, metadata: { ...existing.metadata, deletedAt: this.#options.clock.now() } } as AnyObject;
    });
    // As Kubernetes' garbage collector: what was owned goes too.
    const owned = [...(this.#owned.get(pathOf(key.kind, key)) ?? [])].map((path) => this.#objects.get(path));
    await Promise.all(owned.map((object) => object && this.delete({ kind: object.kind, ...object.metadata })));
  }

  async readSecret(namespace: string, name: string): Promise<Secret | undefined> {
    return (await this.#readForeignSecret(namespace, name)) ?? (await this.#secretFiles.read(namespace, name));
  }

  async writeSecret(
    meta: NewMeta,
    content: { readonly type: string; readonly data: Readonly<Record<string, string | Uint8Array>> },
    options: { readonly ifAbsent?: boolean } = {},
  ): Promise<'written' | 'exists'> {
    const foreign = await this.#readForeignSecret(meta.namespace, meta.name);
    if (foreign !== undefined && options.ifAbsent) return 'exists';
    if (foreign !== undefined)
      throw new ForeignSecretError(
        `Secret ${meta.namespace}/${meta.name} is given by a manifest or in the secrets directory and is not overwritten. Give the certificate another secretName.`,
      );
    const existing = await this.#secretFiles.read(meta.namespace, meta.name);
    if (existing !== undefined && options.ifAbsent) return 'exists';
    const before = existing?.metadata.owner;
    if (existing !== undefined && (before?.kind !== meta.owner?.kind || before?.name !== meta.owner?.name))
      throw new ForeignSecretError(
        `Secret ${meta.namespace}/${meta.name} belongs to ${before === undefined ? 'something else' : `${before.kind} ${before.name}`} and is not overwritten. Give the certificate another secretName.`,
      );
    await this.#secretFiles.write(meta, content);
    return 'written';
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    while (this.#pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await this.#objects.close();
    await this.#lock.close();
  }

  async #applyManifest(manifest: ManifestObject): Promise<void> {
    const kind = manifest.kind as WithStatus;
    await this.#change(kind, manifest, (existing) => {
      if (existing === undefined || existing.metadata.deletedAt !== undefined)
        return { kind, metadata: this.#newMeta(manifest), spec: manifest.spec, status: {} } as unknown as AnyObject;
      if (isSame(existing.spec, manifest.spec)) return existing;
      const metadata = { ...existing.metadata, generation: existing.metadata.generation + 1 };
      return { ...existing, metadata, spec: manifest.spec } as unknown as AnyObject;
    });
  }

  #manifestSecret(manifest: ManifestObject): Secret {
    const { type, data } = manifest.spec as { type?: string; data: Readonly<Record<string, Uint8Array>> };
    const metadata = this.#newMeta(manifest);
    return { kind: 'Secret', metadata, ...(type === undefined ? {} : { type }), data: secretData(data) };
  }

  async #readForeignSecret(namespace: string, name: string): Promise<Secret | undefined> {
    const declared = this.#manifestSecrets.get(`${namespace}/${name}`);
    if (declared !== undefined || this.#options.secretsDir === undefined) return declared;
    return readSecretDirectory(join(this.#options.secretsDir, name), namespace, name);
  }

  /** Runs `change` on the stored object, one after the other, and resolves when the result is on disk. */
  #change(
    kind: WithStatus,
    key: { readonly namespace: string; readonly name: string },
    change: PendingChange['change'],
  ): Promise<AnyObject | undefined> {
    const path = pathOf(kind, key);
    return new Promise((done, failed) => {
      const waiting = this.#pending.get(path);
      if (waiting !== undefined) {
        waiting.push({ change, done, failed });
        return;
      }
      this.#pending.set(path, [{ change, done, failed }]);
      void this.#writeChanges(path);
    });
  }

  async #writeChanges(path: string): Promise<void> {
    for (;;) {
      const batch = this.#pending.get(path) ?? [];
      if (batch.length === 0) {
        this.#pending.delete(path);
        return;
      }
      this.#pending.set(path, []);
      const before = this.#objects.get(path);
      let object = before;
      const accepted: PendingChange[] = [];
      for (const pending of batch) {
        try {
          object = pending.change(object);
          accepted.push(pending);
        } catch (error) {
          pending.failed(error);
        }
      }
      try {
        if (object !== before) object = await this.#persist(path, before, object);
        for (const pending of accepted) pending.done(object);
      } catch (error) {
        for (const pending of accepted) pending.failed(error);
      }
    }
  }

  async #persist(
    path: string,
    before: AnyObject | undefined,
    after: AnyObject | undefined,
  ): Promise<AnyObject | undefined> {
    if (after === undefined) {
      if (before === undefined) return undefined;
      await this.#objects.delete(path);
      this.#forgetOwner(path, before);
      this.#notify(before);
      return undefined;
    }
    const resourceVersion = String(++this.#version);
    const stored = { ...after, metadata: { ...after.metadata, resourceVersion } } as AnyObject;
    await this.#objects.set(path, stored);
    this.#noteOwner(path, stored);
    this.#notify(stored);
    return stored;
  }

  #noteOwner(path: string, { metadata }: AnyObject): void {
    if (metadata.owner === undefined) return;
    const ownerPath = pathOf(metadata.owner.kind, { namespace: metadata.namespace, name: metadata.owner.name });
    this.#owned.set(ownerPath, (this.#owned.get(ownerPath) ?? new Set()).add(path));
  }

  #forgetOwner(path: string, { metadata }: AnyObject): void {
    if (metadata.owner === undefined) return;
    const ownerPath = pathOf(metadata.owner.kind, { namespace: metadata.namespace, name: metadata.owner.name });
    const owned = this.#owned.get(ownerPath);
    owned?.delete(path);
    if (owned?.size === 0) this.#owned.delete(ownerPath);
  }

  #newMeta(meta: NewMeta): ObjectMeta {
    const { namespace, name, owner, finalizers, labels, annotations } = meta;
    return {
      namespace,
      name,
      uid: randomUUID(),
      generation: 1,
      resourceVersion: '0',
      createdAt: this.#options.clock.now(),
      ...(owner === undefined ? {} : { owner }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }

  #notify(object: AnyObject): void {
    const { namespace, name } = object.metadata;
    for (const listener of this.#listeners) listener({ kind: object.kind, namespace, name });
  }
}

/** What `status` shows, read without the lock: it works with and without a running process. */
export async function readState(stateDir: string): Promise<{
  readonly issuers: readonly Issuer[];
  readonly certificates: readonly Certificate[];
  readonly orders: readonly Order[];
}> {
  const objects = [...(await readDurableMap<AnyObject>(objectsPath(stateDir))).values()];
  const ofKind = <K extends WithStatus>(...kinds: readonly K[]) =>
    objects.filter(({ kind }) => kinds.some((wanted) => wanted === kind)) as ObjectOfKind[K][];
  return { issuers: ofKind('Issuer', 'ClusterIssuer'), certificates: ofKind('Certificate'), orders: ofKind('Order') };
}

function objectsPath(stateDir: string): string {
  return join(stateDir, 'objects.jsonl');
}

function pathOf(kind: ObjectKey['kind'], key: { readonly namespace: string; readonly name: string }): string {
  return `${kind}/${key.namespace}/${key.name}`;
}

/** Specs are plain data in the order of the manifest; a reordering alone only costs a new generation. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
