import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Private keys live in these trees: nobody else on the machine may look in. */
const privateDirectory = { recursive: true, mode: 0o700 } as const;
const privateFile = 0o600;

/** Replaces a file as a whole: after a crash it holds the old or the new content, and the new one once this resolves. */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeSynced(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/**
 * Puts a set of files in place together. `path` is a symbolic link to a directory that is never changed once it is
 * linked, so that no reader finds a key beside the certificate of another key.
 */
export async function writeDirectoryAtomically(
  path: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const version = randomBytes(6).toString('hex');
  const name = `.${path.slice(dirname(path).length + 1)}.${version}`;
  const directory = join(dirname(path), name);
  await makeDirectory(directory);
  await Promise.all(Object.entries(files).map(([file, content]) => writeSynced(join(directory, file), content)));
  await syncDirectory(directory);
  await linkAtomically(path, name);
}

/** Points the symbolic link `path` at `target`, replacing the one that was there. */
export async function linkAtomically(path: string, target: string): Promise<void> {
  await makeDirectory(dirname(path));
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  await symlink(target, temporary);
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** Removes a file or tree; done when it was not there. */
export async function removeDurably(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await syncDirectory(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, privateDirectory);
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w', privateFile);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** By directory: the sync that has not begun yet. Whoever comes before it begins shares it. */
const nextSyncs = new Map<string, Promise<void>>();
const runningSyncs = new Map<string, Promise<void>>();

/** Makes the names in a directory durable; many callers at a time share one wait for the disk. */
function syncDirectory(path: string): Promise<void> {
  const waiting = nextSyncs.get(path);
  if (waiting !== undefined) return waiting;
  const next = (runningSyncs.get(path) ?? Promise.resolve()).then(async () => {
    nextSyncs.delete(path);
    const running = syncNow(path);
    const ended = running
      .catch(() => undefined)
      .then(() => {
        runningSyncs.delete(path);
      });
    runningSyncs.set(path, ended);
    await running;
  });
  nextSyncs.set(path, next);
  return next;
}

async function syncNow(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
