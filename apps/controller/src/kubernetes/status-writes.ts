import { isDeepStrictEqual } from 'node:util';
import type { TimerHandle, Timers } from '@zoneproof/core';
import { statusJson } from '../crds/api-form.ts';
import type { ObjectKey } from '../resources/index.ts';
import { isKubeApiError } from './api-error.ts';
import { type Attempts, TryAgain } from './attempts.ts';
import { type CachedObject, type ObjectCache, pathOf } from './object-cache.ts';
import type { ObjectRequests } from './object-requests.ts';

/** From an object to its next status; its argument's status leaves things as they are. */
export type StatusChange = (object: CachedObject) => CachedObject['status'];

/** News that is not durable waits this long for a durable change to go along with. */
const holdMs = 10_000;

interface PendingChange {
  readonly change: StatusChange;
  /** Undefined: nobody waits for it, it is shown already. */
  readonly waiter:
    | { readonly done: (object: CachedObject | undefined) => void; readonly failed: (error: unknown) => void }
    | undefined;
}

/** Changes of one object that are not written yet, in the order in which they came. */
interface Queue {
  readonly key: ObjectKey;
  /** Another object of the same name has a queue of its own; undefined: there was none. */
  readonly uid: string | undefined;
  changes: PendingChange[];
  isWriting: boolean;
  timer: TimerHandle | undefined;
}

/**
 * Writes statuses with optimistic concurrency: one write of an object at a time, and all changes that came meanwhile
 * go into the next one together.
 */
export class StatusWrites {
  readonly #cache: ObjectCache;
  readonly #requests: ObjectRequests;
  readonly #attempts: Attempts;
  readonly #timers: Timers;
  readonly #queues = new Map<string, Queue>();
  readonly #writing = new Set<Promise<void>>();

  constructor(cache: ObjectCache, requests: ObjectRequests, attempts: Attempts, timers: Timers) {
    this.#cache = cache;
    this.#requests = requests;
    this.#attempts = attempts;
    this.#timers = timers;
  }

  /** Resolves when the change is stored; undefined when the object is gone. */
  write(key: ObjectKey, change: StatusChange): Promise<CachedObject | undefined> {
    return new Promise((done, failed) => {
      const queue = this.#queue(key);
      queue.changes.push({ change, waiter: { done, failed } });
      this.#start(queue);
    });
  }

  /** Shows the change at once and stores it with the next durable one of the same object, or some seconds later. */
  hold(key: ObjectKey, change: StatusChange): CachedObject | undefined {
    const object = this.#cache.get(key);
    if (object === undefined || this.#attempts.signal.aborted || change(object) === object.status) return object;
    const queue = this.#queue(key);
    queue.changes.push({ change, waiter: undefined });
    this.#showHeld(queue);
    queue.timer ??= this.#timers.setTimeout(() => {
      queue.timer = undefined;
      this.#start(queue);
    }, holdMs);
    return this.#cache.get(key);
  }

  /** Writes what is held, and waits for what is under way. */
  async flush(): Promise<void> {
    for (const queue of this.#queues.values()) {
      if (queue.timer !== undefined) this.#timers.clearTimeout(queue.timer);
      queue.timer = undefined;
      this.#start(queue);
    }
    await Promise.all(this.#writing);
  }

  #queue(key: ObjectKey): Queue {
    const uid = this.#cache.stored(key)?.metadata.uid;
    const known = this.#queues.get(idOf({ key, uid }));
    const queue = known ?? { key, uid, changes: [], isWriting: false, timer: undefined };
    this.#queues.set(idOf(queue), queue);
    return queue;
  }

  #start(queue: Queue): void {
    if (queue.isWriting) return;
    queue.isWriting = true;
    const writing = this.#drain(queue).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  async #drain(queue: Queue): Promise<void> {
    // What is changed in the same turn goes along.
    await Promise.resolve();
    while (queue.changes.some(({ waiter }) => waiter !== undefined) || this.#isDue(queue)) {
      if (queue.timer !== undefined) this.#timers.clearTimeout(queue.timer);
      queue.timer = undefined;
      await this.#writeBatch(queue, [...queue.changes]);
    }
    queue.isWriting = false;
    if (queue.changes.length === 0) this.#queues.delete(idOf(queue));
  }

  /** Only held changes are left, and their time has come. */
  #isDue({ changes, timer }: Queue): boolean {
    return changes.length > 0 && timer === undefined;
  }

  async #writeBatch(queue: Queue, batch: readonly PendingChange[]): Promise<void> {
    const refused = new Set<PendingChange>();
    const settle = (): void => {
      queue.changes = queue.changes.filter((one) => !batch.includes(one));
    };
    try {
      const object = await this.#store(queue, batch, refused, settle);
      settle();
      this.#showHeld(queue);
      for (const { waiter } of batch.filter((one) => !refused.has(one)))
        waiter?.done(object && this.#cache.get(queue.key));
    } catch (error) {
      // Held news goes too: it would be refused again, and a restart finds it as well.
      settle();
      this.#showHeld(queue);
      for (const { waiter } of batch) waiter?.failed(error);
    }
  }

  /** @returns the stored object; undefined when it is gone */
  #store(
    { key, uid }: Queue,
    batch: readonly PendingChange[],
    refused: Set<PendingChange>,
    settle: () => void,
  ): Promise<CachedObject | undefined> {
    let lost: object | undefined;
    return this.#attempts.untilSettled(async () => {
      const before = this.#cache.stored(key);
      if (before === undefined || before.metadata.uid !== uid) return undefined;
      // Of the write whose answer was lost: it happened.
      if (lost !== undefined && isDeepStrictEqual(plainStatus(before), lost)) return before;
      const after = applyChanges(before, batch, refused);
      const wanted = plainStatus(after);
      if (after.status === before.status || isDeepStrictEqual(wanted, plainStatus(before))) return before;
      try {
        const stored = await this.#requests.replaceStatus(before, wanted);
        // Before the cache is told, so that what is shown has each change once.
        settle();
        this.#cache.accept(stored);
        return stored;
      } catch (error) {
        if (!isKubeApiError(error)) throw error;
        if (error.unknownOutcome) lost = wanted;
        if (error.unknownOutcome || error.status === 409) {
          // The watch may have told already who was faster.
          if (error.unknownOutcome || this.#cache.stored(key) === before)
            await refresh(key, this.#cache, this.#requests);
          if (error.status === 409) throw new TryAgain();
        }
        if (error.reason === 'NotFound') {
          this.#cache.remove(key, before.metadata.uid, 'finally');
          throw new TryAgain();
        }
        throw error;
      }
    });
  }

  #showHeld(queue: Queue): void {
    const { key, uid } = queue;
    if (this.#cache.stored(key)?.metadata.uid !== uid) return;
    const held = () => queue.changes.filter(({ waiter }) => waiter === undefined);
    const overlay = (object: CachedObject) =>
      object.metadata.uid === uid ? applyChanges(object, held(), new Set()) : object;
    this.#cache.overlay(key, held().length === 0 ? undefined : overlay);
  }
}

function idOf({ key, uid }: Pick<Queue, 'key' | 'uid'>): string {
  return `${pathOf(key)} ${uid}`;
}

/** Reads the object again; what is not there any more leaves the cache. @throws KubeApiError */
export async function refresh(key: ObjectKey, cache: ObjectCache, requests: ObjectRequests): Promise<void> {
  const known = cache.stored(key);
  try {
    cache.accept(await requests.read(key));
  } catch (error) {
    if (!isKubeApiError(error, 'NotFound')) throw error;
    if (known !== undefined) cache.remove(key, known.metadata.uid, 'finally');
  }
}

/** One change that throws harms no other: whoever waits for it is told. */
function applyChanges(
  object: CachedObject,
  changes: readonly PendingChange[],
  refused: Set<PendingChange>,
): CachedObject {
  let result = object;
  for (const pending of changes) {
    if (refused.has(pending)) continue;
    try {
      const status = pending.change(result);
      if (status !== result.status) result = { ...result, status } as CachedObject;
    } catch (error) {
      refused.add(pending);
      pending.waiter?.failed(error);
    }
  }
  return result;
}

/** As the API server would tell it. */
function plainStatus({ kind, status }: CachedObject): object {
  return JSON.parse(JSON.stringify(statusJson(kind, status)));
}
