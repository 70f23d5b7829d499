import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretRef, SecretValue } from '@zoneproof/core';
import { quote, suggest } from './header.ts';

/** Entries of one Secret, from wherever it comes. */
export interface FoundSecret {
  readonly entries: readonly string[];
  get(entry: string): Uint8Array | undefined;
}

/** Looks up Secrets offline: first in the manifests, then in the directory of mounted secrets, then in the state. */
export interface SecretLookup {
  find(namespace: string, name: string): FoundSecret | undefined;
  /** The value, or a sentence about what is missing; without one when the Secret may be somewhere else. */
  read(namespace: string, ref: SecretRef): SecretValue | { readonly missing?: string };
}

export function createSecretLookup(o: {
  readonly manifests: ReadonlyMap<string, Readonly<Record<string, Uint8Array>>>;
  readonly secretsDir?: string;
  readonly secretsElsewhere?: boolean;
  readonly readStateSecret?: (namespace: string, name: string) => FoundSecret | undefined;
}): SecretLookup {
  const find = (namespace: string, name: string): FoundSecret | undefined => {
    const declared = o.manifests.get(`${namespace}/${name}`);
    if (declared !== undefined) return { entries: Object.keys(declared), get: (entry) => declared[entry] };
    const mounted = o.secretsDir === undefined ? undefined : readMounted(join(o.secretsDir, name), name);
    return mounted ?? o.readStateSecret?.(namespace, name);
  };
  return {
    find,
    read(namespace, ref) {
      const secret = find(namespace, ref.name);
      if (secret === undefined && o.secretsElsewhere === true) return {};
      if (secret === undefined) {
        const place =
          o.secretsDir === undefined
            ? 'a file NAME/ENTRY in a directory given with --secrets'
            : `the file ${join(o.secretsDir, ref.name, ref.key)}`;
        return {
          missing: `there is no Secret ${quote(ref.name)} in namespace ${namespace}; add a manifest of kind Secret or ${place}.`,
        };
      }
      const value = secret.get(ref.key);
      if (value !== undefined) return new SecretValue(value);
      const hint = suggest(ref.key, secret.entries) || `; it has ${secret.entries.map(quote).join(', ') || 'none'}.`;
      return { missing: `Secret ${quote(ref.name)} has no entry ${quote(ref.key)}${hint}` };
    },
  };
}

/** A directory with one file an entry; hidden files are no entries (mounts keep `..data` there). */
function readMounted(path: string, name: string): FoundSecret | undefined {
  if (/^\.|[/\\\0]/.test(name)) return undefined;
  try {
    const entries = readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name);
    return { entries, get: (entry) => (entries.includes(entry) ? readIfReadable(join(path, entry)) : undefined) };
  } catch {
    return undefined;
  }
}

function readIfReadable(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
