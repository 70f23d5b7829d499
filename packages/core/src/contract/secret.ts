import { inspect } from 'node:util';

/** Points at one entry of a Secret, exactly as in the Issuer. */
export interface SecretRef {
  readonly name: string;
  readonly key: string;
}

/**
 * A secret's value in a wrapper that does not print: `String()`, `JSON.stringify` and `console.log` show `[secret]`.
 */
export class SecretValue {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The value as UTF-8 text without the line end that editors and `echo` leave behind. */
  text(): string {
    return Buffer.from(this.#bytes)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  }

  bytes(): Uint8Array {
    return this.#bytes;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/**
 * Resolved at each use, so that a rotated Secret works without a restart.
 * `get` throws {@link ProviderError} of kind `auth` that names the Secret and the entry when either is missing.
 */
export interface SecretHandle {
  get(): Promise<SecretValue>;
}
