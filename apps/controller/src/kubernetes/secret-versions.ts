import { type Clock, type RandomBytes, randomShare } from '@zoneproof/core';
import type { SecretMeta } from './secret-json.ts';
import { isNewer } from './versions.ts';

export interface SecretVersionsOptions {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** How old the last look at a Secret may become. */
  readonly resyncMs: number;
  /** Someone else made, changed or deleted the Secret. */
  readonly changed: (namespace: string, name: string) => void;
}

interface Known {
  /** Undefined: there is none. */
  version: string | undefined;
  /** Of a Secret that this process made and that nobody has touched since. */
  madeUid: string | undefined;
  /** Epoch milliseconds: time for another look. */
  dueAt: number;
}

/** Which version of each Secret was seen last, to tell that someone else has changed one. Holds no content. */
export class SecretVersions {
  readonly #options: SecretVersionsOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: SecretVersionsOptions) {
    this.#options = options;
  }

  /** @param metadata undefined: there is no such Secret */
  seen(namespace: string, name: string, metadata: SecretMeta | undefined): void {
    const path = `${namespace}/${name}`;
    const known = this.#known.get(path);
    const version = metadata?.resourceVersion;
    // The answer to a question that was asked before our own write.
    const isLate = known?.version !== undefined && version !== undefined && isNewer(known.version, version);
    if (isLate) return;
    const isChanged = known !== undefined && known.version !== version;
    this.#know(path, version, isChanged ? undefined : known?.madeUid);
    if (isChanged) this.#options.changed(namespace, name);
  }

  /** The Secret was deleted at this version. */
  gone(namespace: string, name: string, version: string): void {
    const known = this.#known.get(`${namespace}/${name}`)?.version;
    if (known !== undefined && !isNewer(known, version)) this.seen(namespace, name, undefined);
  }

  /** What we ourselves did is no news. */
  wrote(namespace: string, name: string, metadata: SecretMeta | undefined, how?: 'made'): void {
    const madeUid = how === 'made' ? metadata?.uid : undefined;
    this.#know(`${namespace}/${name}`, metadata?.resourceVersion, madeUid);
  }

  madeUid(namespace: string, name: string): string | undefined {
    return this.#known.get(`${namespace}/${name}`)?.madeUid;
  }

  /** '' where there is no such Secret; undefined where nobody has looked. */
  version(namespace: string, name: string): string | undefined {
    const known = this.#known.get(`${namespace}/${name}`);
    return known && (known.version ?? '');
  }

  isKnown(namespace: string, name: string): boolean {
    return this.#known.has(`${namespace}/${name}`);
  }

  /** What refers to the Secret was changed: time for a look. */
  expire(namespace: string, name: string): void {
    const known = this.#known.get(`${namespace}/${name}`);
    if (known !== undefined) known.dueAt = 0;
  }

  /** Secrets among `referenced` (`namespace/name`) whose last look is too old; all others are forgotten. */
  due(referenced: ReadonlySet<string>): readonly string[] {
    const now = this.#options.clock.now();
    const due: string[] = [];
    for (const [path, known] of this.#known)
      if (known.dueAt > now) continue;
      else if (referenced.has(path)) due.push(path);
      else this.#known.delete(path);
    return due;
  }

  #know(path: string, version: string | undefined, madeUid: string | undefined): void {
    const { clock, random, resyncMs } = this.#options;
    // Spread, so that what was read together at the start is not all due at once for ever.
    const dueAt = clock.now() + resyncMs * (0.8 + 0.2 * randomShare(random));
    const known = this.#known.get(path);
    if (known === undefined) this.#known.set(path, { version, madeUid, dueAt });
    else Object.assign(known, { version, madeUid, dueAt });
  }
}
