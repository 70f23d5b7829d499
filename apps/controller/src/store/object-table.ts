import { join } from 'node:path';
import type { ObjectKey, ObjectOfKind } from '../resources/types.ts';
import { DurableMap, readDurableMap } from './durable-map.ts';
import type { MeasureWrite } from './observe-writes.ts';
import type { WithStatus } from './store.ts';

export type StoredObject = ObjectOfKind[WithStatus];

/** From what is stored (undefined: nothing) to what shall be (undefined: nothing; the argument: no change). */
export type ObjectChange = (object: StoredObject | undefined) => StoredObject | undefined;

/** Changes of one object that wait for the write before them; all of them go into the next one. */
interface PendingChange {
  readonly change: ObjectChange;
  readonly done: (object: StoredObject | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** The stored objects by kind, namespace and name, with an index from owners to what they own. */
export class ObjectTable {
  readonly #objects: DurableMap<StoredObject>;
  readonly #pending = new Map<string, PendingChange[]>();
  /** Paths of owned objects by the path of their owner. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #listeners = new Set<(key: ObjectKey) => void>();
  readonly #measure: MeasureWrite;
  #version = 0;

  private constructor(objects: DurableMap<StoredObject>, measure: MeasureWrite) {
    this.#objects = objects;
    this.#measure = measure;
    for (const object of objects.values()) {
      this.#noteOwner(object);
      this.#version = Math.max(this.#version, Number(object.metadata.resourceVersion));
    }
  }

  /** @throws StateDirError */
  static async open(stateDir: string, measure: MeasureWrite): Promise<ObjectTable> {
    return new ObjectTable(await DurableMap.open(objectsPath(stateDir)), measure);
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(pathOf(key));
  }

  all(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  ownedBy(owner: ObjectKey): readonly StoredObject[] {
    const paths = this.#owned.get(pathOf(owner)) ?? [];
    return [...paths].map((path) => this.#objects.get(path)).filter((object) => object !== undefined);
  }

  watch(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify({ kind, metadata: { namespace, name } }: StoredObject): void {
    for (const listener of this.#listeners) listener({ kind, namespace, name });
  }

  /** Runs `change` on the stored object, one after the other, and resolves when the result is on disk. */
  change(key: ObjectKey, change: ObjectChange): Promise<StoredObject | undefined> {
    const path = pathOf(key);
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

  async close(): Promise<void> {
    this.#listeners.clear();
    while (this.#pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
    await this.#objects.close();
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
    before: StoredObject | undefined,
    after: StoredObject | undefined,
  ): Promise<StoredObject | undefined> {
    if (after === undefined) {
      if (before === undefined) return undefined;
      await this.#measure(before.kind, () => this.#objects.delete(path));
      this.#forgetOwner(before);
      this.notify(before);
      return undefined;
    }
    const resourceVersion = String(++this.#version);
    const stored = { ...after, metadata: { ...after.metadata, resourceVersion } } as StoredObject;
    await this.#measure(stored.kind, () => this.#objects.set(path, stored));
    this.#noteOwner(stored);
    this.notify(stored);
    return stored;
  }

  #noteOwner(object: StoredObject): void {
    const owner = ownerOf(object);
    if (owner === undefined) return;
    this.#owned.set(
      owner,
      (this.#owned.get(owner) ?? new Set()).add(pathOf({ kind: object.kind, ...object.metadata })),
    );
  }

  #forgetOwner(object: StoredObject): void {
    const owner = ownerOf(object);
    if (owner === undefined) return;
    const owned = this.#owned.get(owner);
    owned?.delete(pathOf({ kind: object.kind, ...object.metadata }));
    if (owned?.size === 0) this.#owned.delete(owner);
  }
}

/** What is stored, read without opening it for writing. @throws StateDirError */
export async function readObjectTable(stateDir: string): Promise<readonly StoredObject[]> {
  return [...(await readDurableMap<StoredObject>(objectsPath(stateDir))).values()];
}

export function pathOf({ kind, namespace, name }: ObjectKey): string {
  return `${kind}/${namespace}/${name}`;
}

function ownerOf({ metadata: { owner, namespace } }: StoredObject): string | undefined {
  return owner === undefined ? undefined : pathOf({ kind: owner.kind, namespace, name: owner.name });
}

function objectsPath(stateDir: string): string {
  return join(stateDir, 'objects.jsonl');
}
