import { inspect } from 'node:util';
import type { SecretData } from '../resources/types.ts';

/** Entries of a Secret behind a wrapper that prints their names only. */
export function secretData(entries: Readonly<Record<string, string | Uint8Array>>): SecretData {
  return new HiddenEntries(
    new Map(
      Object.entries(entries).map(([name, value]) => [name, typeof value === 'string' ? Buffer.from(value) : value]),
    ),
  );
}

class HiddenEntries implements SecretData {
  readonly #entries: ReadonlyMap<string, Uint8Array>;

  constructor(entries: ReadonlyMap<string, Uint8Array>) {
    this.#entries = entries;
  }

  entries(): readonly string[] {
    return [...this.#entries.keys()];
  }

  get(entry: string): Uint8Array | undefined {
    return this.#entries.get(entry);
  }

  toJSON(): object {
    return Object.fromEntries(this.entries().map((name) => [name, '[secret]']));
  }

  toString(): string {
    return `[secret: ${this.entries().join(', ')}]`;
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
