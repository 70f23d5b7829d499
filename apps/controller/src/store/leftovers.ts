import { type Dirent, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes what a killed process left half-done: files not yet in place, and versions of Secrets that no link leads to,
 * which may hold a private key. To be called with the state directory locked, before the first write.
 */
export function removeLeftovers(stateDir: string): void {
  removeTemporary(stateDir);
  for (const { name } of entriesOf(join(stateDir, 'certs'))) removeTemporary(join(stateDir, 'certs', name));
  for (const { name } of entriesOf(join(stateDir, 'secrets'))) {
    const directory = join(stateDir, 'secrets', name);
    removeTemporary(directory);
    removeUnlinked(directory);
  }
}

/** `NAME.XXXXXXXX.tmp` of atomic-file.ts, and the dead socket that a process was about to clear away. */
function removeTemporary(directory: string): void {
  for (const entry of entriesOf(directory))
    if (!entry.isDirectory() && /\.[0-9a-f]{8}\.tmp$|^zoneproof\.sock\.\d+$/.test(entry.name))
      rmSync(join(directory, entry.name), { force: true });
}

/** Versions `.NAME.XXXXXXXXXXXX` of a Secret other than the one that the link `NAME` leads to. */
function removeUnlinked(directory: string): void {
  for (const entry of entriesOf(directory)) {
    const [, secret] = /^\.(.+)\.[0-9a-f]{12}$/.exec(entry.name) ?? [];
    if (secret === undefined || !entry.isDirectory() || linkTarget(join(directory, secret)) === entry.name) continue;
    rmSync(join(directory, entry.name), { recursive: true, force: true });
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Not a link: somebody put a plain directory there, which leads to no version.
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
