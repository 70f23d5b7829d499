import { type Clock, pause, type Timers } from '@zoneproof/core';
import type { ObjectKey } from '../resources/index.ts';
import { isKubeApiError } from './api-error.ts';
import { type CachedObject, keyOf, type ObjectCache } from './object-cache.ts';
import { secretNamesOf } from './secret-references.ts';
import type { SecretVersions } from './secret-versions.ts';
import type { Secrets } from './secrets.ts';

export interface SecretResyncOptions {
  readonly cache: ObjectCache;
  readonly secrets: Secrets;
  readonly versions: SecretVersions;
  readonly clusterResourceNamespace: string;
  readonly resyncMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

const kinds = ['Issuer', 'ClusterIssuer', 'Certificate'] as const;

/** Looks from time to time whether someone changed a Secret that Issuers and Certificates refer to: metadata only. */
export class SecretResync {
  readonly #options: SecretResyncOptions;

  constructor(options: SecretResyncOptions) {
    this.#options = options;
  }

  /** Until the signal ends it. */
  async run(): Promise<void> {
    const { signal, timers, resyncMs } = this.#options;
    while (!signal.aborted) {
      await pause(timers, Math.min(30_000, Math.max(100, resyncMs / 20)), signal);
      await this.#lookAtDue();
    }
  }

  /** Objects that refer to a Secret. */
  referrers(namespace: string, name: string): readonly ObjectKey[] {
    return [...this.#objects()]
      .filter((object) => this.#namespaceOf(object) === namespace && secretNamesOf(object).includes(name))
      .map(keyOf);
  }

  /** An object was changed: what it refers to is due for a look. */
  expire(key: ObjectKey): void {
    const object = this.#options.cache.get(key);
    if (object === undefined) return;
    for (const name of secretNamesOf(object)) this.#options.versions.expire(this.#namespaceOf(object), name);
  }

  async #lookAtDue(): Promise<void> {
    const { secrets, versions, signal } = this.#options;
    const referenced = new Set<string>();
    for (const object of this.#objects())
      for (const name of secretNamesOf(object)) referenced.add(`${this.#namespaceOf(object)}/${name}`);
    // One after the other: nobody waits for it.
    for (const path of versions.due(referenced)) {
      if (signal.aborted) return;
      const [namespace, name] = path.split('/') as [string, string];
      try {
        versions.seen(namespace, name, await secrets.metadata(namespace, name));
      } catch (error) {
        // Looked at again in the next round; who needs the Secret tells what is wrong.
        if (!isKubeApiError(error) && !signal.aborted) throw error;
      }
    }
  }

  *#objects(): Iterable<CachedObject> {
    for (const kind of kinds) yield* this.#options.cache.stock(kind, undefined);
  }

  #namespaceOf({ kind, metadata }: CachedObject): string {
    return kind === 'ClusterIssuer' ? this.#options.clusterResourceNamespace : metadata.namespace;
  }
}
