import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Secret } from '../resources/types.ts';
import { linkAtomically, removeDurably, writeDirectoryAtomically } from './atomic-file.ts';
import { secretData } from './secret-data.ts';
import { type NewMeta, type SecretContent, SecretUnreadableError } from './store.ts';

/** Beside the entries, hidden from readers that list them: whose Secret this is. */
const metaFile = '.zoneproof.json';

/**
 * Secrets that zoneproof itself makes, as `secrets/NAMESPACE/NAME/ENTRY`, the form in which Kubernetes, Docker and
 * systemd mount them. The current certificate of each Certificate is linked as `certs/NAMESPACE/CERTIFICATE`.
 */
export class SecretFiles {
  readonly #stateDir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  /** @throws SecretUnreadableError */
  async read(namespace: string, name: string): Promise<Secret | undefined> {
    return readSecretDirectory(this.#path(namespace, name), namespace, name);
  }

  async write(meta: NewMeta, content: SecretContent): Promise<void> {
    const path = this.#path(meta.namespace, meta.name);
    const before = await readlink(path).catch(() => undefined);
    const { owner, labels, annotations } = meta;
    await writeDirectoryAtomically(path, {
      ...content.data,
      [metaFile]: `${JSON.stringify({ type: content.type, owner, labels, annotations })}\n`,
    });
    if (owner?.kind === 'Certificate')
      await linkAtomically(
        join(this.#stateDir, 'certs', meta.namespace, owner.name),
        join('..', '..', 'secrets', meta.namespace, meta.name),
      );
    if (before !== undefined) await removeDurably(join(dirname(path), before));
  }

  async remove(namespace: string, name: string): Promise<void> {
    const path = this.#path(namespace, name);
    const target = await readlink(path).catch(() => undefined);
    await removeDurably(path);
    if (target !== undefined) await removeDurably(join(dirname(path), target));
  }

  #path(namespace: string, name: string): string {
    if (/^\.|[/\\\0]/.test(namespace) || /^\.|[/\\\0]/.test(name))
      throw new SecretUnreadableError(`"${namespace}/${name}" cannot be the name of a Secret.`);
    return join(this.#stateDir, 'secrets', namespace, name);
  }
}

/**
 * Reads a directory of entries, one file each; hidden files are no entries (mounts keep `..data` there).
 *
 * @throws SecretUnreadableError when it is there and cannot be read
 */
export async function readSecretDirectory(path: string, namespace: string, name: string): Promise<Secret | undefined> {
  for (let again = true; ; again = false) {
    try {
      // One version from the first entry to the last: the link may lead to the next one meanwhile.
      return await readEntries(await realpath(path), namespace, name);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') {
        if (
          !(await lstat(path).then(
            () => true,
            () => false,
          ))
        )
          return undefined;
        if (again) continue;
      }
      // What is there and leads nowhere is not missing: a missing account key would be made anew.
      throw new SecretUnreadableError(
        `Secret ${namespace}/${name} cannot be read from ${path} (${code ?? 'damaged'}).`,
        error,
      );
    }
  }
}

async function readEntries(path: string, namespace: string, name: string): Promise<Secret> {
  const names = (await readdir(path, { withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name);
  const entries: Record<string, Uint8Array> = {};
  let meta: Pick<Secret, 'type'> & Pick<NewMeta, 'owner' | 'labels' | 'annotations'> = {};
  for (const file of names) {
    if (file === metaFile) meta = JSON.parse(await readFile(join(path, file), 'utf8'));
    else if (!file.startsWith('.')) entries[file] = await readFile(join(path, file));
  }
  const { type, ...rest } = meta;
  return {
    kind: 'Secret',
    metadata: { namespace, name, uid: '', generation: 1, resourceVersion: '', createdAt: 0, ...rest },
    ...(type === undefined ? {} : { type }),
    data: secretData(entries),
  };
}
