import { join } from 'node:path';
import type { Secret } from '../resources/types.ts';
import { DurableMap } from './durable-map.ts';
import { secretData } from './secret-data.ts';
import type { NewMeta, SecretContent } from './store.ts';

interface StoredKey {
  readonly type: string;
  readonly owner: NonNullable<NewMeta['owner']>;
  /** Absent in what older versions wrote. */
  readonly labels?: NonNullable<NewMeta['labels']>;
  /** Entries in base64. */
  readonly data: Readonly<Record<string, string>>;
}

/**
 * The private keys of Orders under way, in `order-keys.jsonl`. They live for seconds and nobody but zoneproof reads
 * them, so they share their waits for the disk instead of having a directory each. Empty when no Order is under way.
 */
export class OrderKeys {
  readonly #keys: DurableMap<StoredKey>;

  private constructor(keys: DurableMap<StoredKey>) {
    this.#keys = keys;
  }

  /** @throws StateDirError */
  static async open(stateDir: string): Promise<OrderKeys> {
    return new OrderKeys(await DurableMap.open(join(stateDir, 'order-keys.jsonl')));
  }

  read(namespace: string, name: string): Secret | undefined {
    const key = this.#keys.get(`${namespace}/${name}`);
    if (key === undefined) return undefined;
    const entries = Object.entries(key.data).map(([entry, value]) => [entry, Buffer.from(value, 'base64')]);
    const { owner, labels } = key;
    const metadata = {
      ...{ namespace, name, uid: '', generation: 1, resourceVersion: '', createdAt: 0, owner },
      ...(labels === undefined ? {} : { labels }),
    };
    return { kind: 'Secret', metadata, type: key.type, data: secretData(Object.fromEntries(entries)) };
  }

  async write(
    { namespace, name, owner, labels }: NewMeta & { readonly owner: StoredKey['owner'] },
    content: SecretContent,
  ): Promise<void> {
    const entries = Object.entries(content.data).map(([entry, value]) => [
      entry,
      Buffer.from(value).toString('base64'),
    ]);
    await this.#keys.set(`${namespace}/${name}`, {
      type: content.type,
      owner,
      ...(labels === undefined ? {} : { labels }),
      data: Object.fromEntries(entries),
    });
  }

  /** Tells whether it was there. */
  async remove(namespace: string, name: string): Promise<boolean> {
    const isThere = this.#keys.get(`${namespace}/${name}`) !== undefined;
    if (isThere) await this.#keys.delete(`${namespace}/${name}`);
    return isThere;
  }

  close(): Promise<void> {
    return this.#keys.close();
  }
}
