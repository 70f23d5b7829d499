import { AsyncLocalStorage } from 'node:async_hooks';
import { ProviderError, type SecretHandle, type SecretRef, SecretValue } from '@zoneproof/core';
import type { Store } from '../store/index.ts';

/**
 * What providers identify themselves with: entries of Secrets, read at each use.
 *
 * What values were written with removes them, too, when its Secret is gone by then: who deletes a namespace deletes all
 * of it in no order, and the values are in zones that others see. This is kept in memory only, and used for nothing else.
 */
export class Credentials {
  readonly #store: Pick<Store, 'readSecret'>;
  readonly #lastUsed = new Map<string, SecretValue>();
  readonly #doing = new AsyncLocalStorage<'write' | 'remove' | undefined>();

  constructor(store: Pick<Store, 'readSecret'>) {
    this.#store = store;
  }

  handle(namespace: string, { name, key }: SecretRef): SecretHandle {
    const path = `${namespace}/${name}/${key}`;
    return {
      get: async () => {
        const doing = this.#doing.getStore();
        // Whoever the store wakes with what it finds does something else.
        const secret = await this.#doing.run(undefined, () => this.#store.readSecret(namespace, name));
        const bytes = secret?.data.get(key);
        if (bytes !== undefined) {
          const value = new SecretValue(bytes);
          if (doing !== undefined) this.#lastUsed.set(path, value);
          return value;
        }
        const lastUsed = this.#lastUsed.get(path);
        if (secret === undefined && doing === 'remove' && lastUsed !== undefined) return lastUsed;
        const what =
          secret === undefined
            ? `Secret ${namespace}/${name} does not exist`
            : `Secret ${namespace}/${name} has no entry "${key}"`;
        throw new ProviderError({ kind: 'auth', message: `${what}. Create it, or correct the reference.` });
      },
    };
  }

  /** Handles that are read within `work` know what for. */
  during<T>(doing: 'write' | 'remove', work: () => Promise<T>): Promise<T> {
    return this.#doing.run(doing, work);
  }
}
