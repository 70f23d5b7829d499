import { randomUUID } from 'node:crypto';
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
import { describeDiskError } from './disk-error.ts';
import { FileSecrets } from './file-secrets.ts';
import { removeLeftovers } from './leftovers.ts';
import { ObjectTable, pathOf, readObjectTable, type StoredObject } from './object-table.ts';
import { measureWrites, type OnWrite } from './observe-writes.ts';
import { secretData } from './secret-data.ts';
import { checkFormat, prepareFormat, StateDirError } from './state-format.ts';
import { ConflictError, type NewMeta, type SecretContent, type Store, type WithStatus } from './store.ts';

export interface FileStoreOptions {
  readonly stateDir: string;
  /** A directory of mounted secrets, `NAME/ENTRY`, read at each use. */
  readonly secretsDir?: string;
  readonly clock: Clock;
  readonly onWrite?: OnWrite;
}

/**
 * The standalone store. Manifests are the desired state, kept in memory and copied to the state directory with the
 * statuses; Orders and the Secrets that zoneproof makes live in the state directory alone. One process at a time.
 */
export class FileStore implements Store {
  readonly #clock: Clock;
  readonly #lock: ControlSocket;
  readonly #objects: ObjectTable;
  readonly #secrets: FileSecrets;

  private constructor(clock: Clock, lock: ControlSocket, objects: ObjectTable, secrets: FileSecrets) {
    this.#clock = clock;
    this.#lock = lock;
    this.#objects = objects;
    this.#secrets = secrets;
  }

  /** @throws StateDirError when the directory is in use, damaged, or of a newer format */
  static async open({ stateDir, secretsDir, clock, onWrite }: FileStoreOptions): Promise<FileStore> {
    try {
      await makeDirectory(stateDir);
    } catch (error) {
      const why = describeDiskError(error) ?? String((error as NodeJS.ErrnoException).code);
      throw new StateDirError(`The state directory ${stateDir} cannot be made: ${why}.`, error);
    }
    const lock = await lockStateDir(stateDir);
    try {
      await prepareFormat(stateDir);
      removeLeftovers(stateDir);
      const measure = measureWrites(clock, onWrite);
      const objects = await ObjectTable.open(stateDir, measure);
      return new FileStore(clock, lock, objects, await FileSecrets.open(stateDir, secretsDir, measure));
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
    this.#secrets.declare(manifests.filter(({ kind }) => kind === 'Secret').map((object) => this.#toSecret(object)));
    const wanted = manifests.filter((object) => object.kind !== 'Secret');
    const names = new Set(wanted.map(pathOf));
    const gone = [...this.#objects.all()].filter((object) => !names.has(declarationOf(object)));
    await Promise.all([
      ...wanted.map((object) => this.#applyManifest(object)),
      ...gone.map((object) => this.delete({ kind: object.kind, ...object.metadata })),
    ]);
    for (const object of this.#objects.all()) this.#objects.notify(object);
  }

  get<K extends WithStatus>(kind: K, namespace: string, name: string): ObjectOfKind[K] | undefined {
    return this.#objects.get({ kind, namespace, name }) as ObjectOfKind[K] | undefined;
  }

  list<K extends WithStatus>(kind: K): readonly ObjectOfKind[K][] {
    return [...this.#objects.all()].filter((object) => object.kind === kind) as ObjectOfKind[K][];
  }

  ordersOf({ metadata: { namespace, name } }: Certificate): readonly Order[] {
    return this.#objects
      .ownedBy({ kind: 'Certificate', namespace, name })
      .filter(({ kind }) => kind === 'Order') as Order[];
  }

  watch(listener: (key: ObjectKey) => void): () => void {
    return this.#objects.watch(listener);
  }

  async createOrder(meta: NewMeta, spec: OrderSpec): Promise<Order> {
    const created = await this.#objects.change({ kind: 'Order', ...meta }, (existing) => {
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
    const changed = await this.#objects.change({ kind, namespace, name }, (existing) => {
      if (existing === undefined) return undefined;
      const status = change(existing as ObjectOfKind[K]);
      return status === existing.status ? existing : ({ ...existing, status } as StoredObject);
    });
    return changed as ObjectOfKind[K] | undefined;
  }

  async addFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    await this.#objects.change(key, (existing) => {
      const finalizers = existing?.metadata.finalizers ?? [];
      if (existing === undefined || existing.metadata.deletedAt !== undefined || finalizers.includes(finalizer))
        return existing;
      return {
        ...existing,
        metadata: { ...existing.metadata, finalizers: [...finalizers, finalizer] },
      } as StoredObject;
    });
  }

  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    await this.#objects.change(key, (existing) => {
      if (existing === undefined) return undefined;
      const finalizers = (existing.metadata.finalizers ?? []).filter((name) => name !== finalizer);
      if (existing.metadata.deletedAt !== undefined && finalizers.length === 0) return undefined;
      return { ...existing, metadata: { ...existing.metadata, finalizers } } as StoredObject;
    });
  }

  async delete(key: ObjectKey): Promise<void> {
    if (key.kind === 'Secret') {
      await this.#secrets.remove(key.namespace, key.name);
      return;
    }
    await this.#objects.change(key, (existing) => {
      if (existing === undefined || (existing.metadata.finalizers ?? []).length === 0) return undefined;
      if (existing.metadata.deletedAt !== undefined) return existing;
      return { ...existing, metadata: { ...existing.metadata, deletedAt: this.#clock.now() } } as StoredObject;
    });
    // As Kubernetes' garbage collector: what was owned goes too.
    const owned = this.#objects.ownedBy(key);
    await Promise.all(owned.map((object) => this.delete({ kind: object.kind, ...object.metadata })));
  }

  readSecret(namespace: string, name: string): Promise<Secret | undefined> {
    return this.#secrets.read(namespace, name);
  }

  writeSecret(
    meta: NewMeta,
    content: SecretContent,
    options: { readonly ifAbsent?: boolean } = {},
  ): Promise<'written' | 'exists'> {
    return this.#secrets.write(meta, content, options.ifAbsent ?? false, this.#isGoneIn(meta.namespace));
  }

  checkSecret(meta: NewMeta): Promise<void> {
    return this.#secrets.check(meta, this.#isGoneIn(meta.namespace));
  }

  /** A Certificate that was renamed finds its Secret as that of one which was removed. */
  #isGoneIn(namespace: string): (owner: NonNullable<NewMeta['owner']>) => boolean {
    return ({ kind, name }) => kind === 'Certificate' && this.#objects.get({ kind, namespace, name }) === undefined;
  }

  async close(): Promise<void> {
    await this.#objects.close();
    await this.#secrets.close();
    await this.#lock.close();
  }

  async #applyManifest(manifest: ManifestObject): Promise<void> {
    const kind = manifest.kind as WithStatus;
    await this.#objects.change(manifest, (existing) => {
      if (existing === undefined || existing.metadata.deletedAt !== undefined)
        return { kind, metadata: this.#newMeta(manifest), spec: manifest.spec, status: {} } as unknown as StoredObject;
      if (isSame(existing.spec, manifest.spec)) return existing;
      const metadata = { ...existing.metadata, generation: existing.metadata.generation + 1 };
      return { ...existing, metadata, spec: manifest.spec } as unknown as StoredObject;
    });
  }

  #toSecret(manifest: ManifestObject): Secret {
    const { type, data } = manifest.spec as { type?: string; data: Readonly<Record<string, Uint8Array>> };
    const metadata = this.#newMeta(manifest);
    return { kind: 'Secret', metadata, ...(type === undefined ? {} : { type }), data: secretData(data) };
  }

  #newMeta(meta: NewMeta): ObjectMeta {
    const { namespace, name, owner, finalizers, labels, annotations } = meta;
    return {
      namespace,
      name,
      uid: randomUUID(),
      generation: 1,
      resourceVersion: '0',
      createdAt: this.#clock.now(),
      ...(owner === undefined ? {} : { owner }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }
}

/** What `status` shows, read without the lock: it works with and without a running process. */
export async function readState(stateDir: string): Promise<{
  readonly issuers: readonly Issuer[];
  readonly certificates: readonly Certificate[];
  readonly orders: readonly Order[];
}> {
  await checkFormat(stateDir);
  const objects = await readObjectTable(stateDir);
  const ofKind = <K extends WithStatus>(...kinds: readonly K[]) =>
    objects.filter(({ kind }) => kinds.some((wanted) => wanted === kind)) as ObjectOfKind[K][];
  return { issuers: ofKind('Issuer', 'ClusterIssuer'), certificates: ofKind('Certificate'), orders: ofKind('Order') };
}

/** Which manifest an object stands and falls with: its own, and for an Order that of its Certificate. */
function declarationOf({ kind, metadata: { namespace, name, owner } }: StoredObject): string {
  if (kind === 'Order' && owner !== undefined) return pathOf({ kind: owner.kind, namespace, name: owner.name });
  return pathOf({ kind, namespace, name });
}

/** Specs are plain data in the order of the manifest; a reordering alone only costs a new generation. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
