import { randomBytes } from 'node:crypto';
import { closeSync, fsync, mkdirSync, openSync, renameSync, symlinkSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Private keys live in these trees: nobody else on the machine may look in. */
const privateDirectory = { recursive: true, mode: 0o700 } as const;
const privateFile = 0o600;

/*
 * Opening, writing and renaming a small file touches memory only and costs microseconds, less than handing it to
 * another thread would; the wait for the disk is what must not hold up everything else.
 */

/** Replaces a file as a whole: after a crash it holds the old or the new content, and the new one once this resolves. */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeSynced(temporary, content);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeDirectory(dirname(path));
    await writeSynced(temporary, content);
  }
  renameSync(temporary, path);
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
  makeDirectory(directory);
  await Promise.all(Object.entries(files).map(([file, content]) => writeSynced(join(directory, file), content)));
  await syncDirectory(directory);
  await linkAtomically(path, name);
}

/** Points the symbolic link `path` at `target`, replacing the one that was there. */
export async function linkAtomically(path: string, target: string): Promise<void> {
  makeDirectory(dirname(path));
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  symlinkSync(target, temporary);
  renameSync(temporary, path);
  await syncDirectory(dirname(path));
}

/** Removes a file or tree; done when it was not there. */
export async function removeDurably(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await syncDirectory(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

export function makeDirectory(path: string): void {
  mkdirSync(path, privateDirectory);
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  const file = openSync(path, 'w', privateFile);
  try {
    const octets = typeof content === 'string' ? Buffer.from(content) : content;
    for (let written = 0; written < octets.length; ) written += writeSync(file, octets, written);
    await sync(file);
  } finally {
    closeSync(file);
  }
}

interface SyncRound {
  readonly done: Promise<void>;
}

/** By directory: the sync that has not begun yet. Whoever comes before it begins shares it. */
const nextRounds = new Map<string, SyncRound>();
const runningRounds = new Map<string, Promise<void>>();

/** Makes the names in a directory durable; many callers at a time share one wait for the disk. */
function syncDirectory(path: string): Promise<void> {
  const waiting = nextRounds.get(path);
  if (waiting !== undefined) return waiting.done;
  const before = runningRounds.get(path) ?? Promise.resolve();
  const done = before.then(async () => {
    nextRounds.delete(path);
    const directory = openSync(path, 'r');
    const running = sync(directory).finally(() => {
      closeSync(directory);
      if (runningRounds.get(path) === settled) runningRounds.delete(path);
    });
    const settled = running.catch(() => undefined);
    runningRounds.set(path, settled);
    await running;
  });
  nextRounds.set(path, { done });
  return done;
}

function sync(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(file, (error) => (error === null ? resolve() : reject(error)));
  });
}
