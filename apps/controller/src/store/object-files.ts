import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kind, ObjectOfKind } from '../resources/types.ts';
import { removeDurably, writeFileAtomically } from './atomic-file.ts';
import { StateDirError } from './state-format.ts';
import type { WithStatus } from './store.ts';

export const kindsWithStatus = ['Issuer', 'ClusterIssuer', 'Certificate', 'Order'] as const satisfies readonly Kind[];

/** Cluster-scoped kinds have the namespace `''`, which cannot be a directory. */
const noNamespace = '_cluster';

/** Writes `objects/KIND/NAMESPACE/NAME.json`. */
export async function writeObject(stateDir: string, object: ObjectOfKind[WithStatus]): Promise<void> {
  await writeFileAtomically(objectPath(stateDir, object.kind, object.metadata), JSON.stringify(object));
}

export async function removeObject(stateDir: string, object: ObjectOfKind[WithStatus]): Promise<void> {
  await removeDurably(objectPath(stateDir, object.kind, object.metadata));
}

/** Every stored object of one kind. @throws StateDirError naming the file that is damaged */
export async function readObjects<K extends WithStatus>(stateDir: string, kind: K): Promise<ObjectOfKind[K][]> {
  const root = join(stateDir, 'objects', kind);
  const namespaces = await readdir(root).catch(ignoreMissing);
  const files = await Promise.all(
    namespaces.map(async (namespace) =>
      (await readdir(join(root, namespace)))
        .filter((file) => file.endsWith('.json'))
        .map((file) => join(root, namespace, file)),
    ),
  );
  return Promise.all(files.flat().map(readObject<ObjectOfKind[K]>));
}

async function readObject<T>(path: string): Promise<T> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    throw new StateDirError(
      `${path} is damaged (${(error as Error).message}). Restore it from a backup; removing it makes zoneproof forget that object.`,
      error,
    );
  }
}

function objectPath(stateDir: string, kind: Kind, key: { readonly namespace: string; readonly name: string }): string {
  return join(stateDir, 'objects', kind, key.namespace === '' ? noNamespace : key.namespace, `${key.name}.json`);
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
