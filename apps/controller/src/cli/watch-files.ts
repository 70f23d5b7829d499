import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface FileWatch {
  close(): void;
}

const quietMs = 200; // long enough for an editor or `cp` of several files to be through
const rescanMs = 5_000;

/**
 * Calls `changed` after files at or directly in `paths` (and, for `deep` ones, one directory further down) came, went
 * or were written. File system events wake it early; a look every five seconds catches what they miss (network file
 * systems, replaced mounts). One call at a time.
 */
export async function watchFiles(
  paths: readonly { readonly path: string; readonly deep?: boolean }[],
  changed: () => Promise<void>,
): Promise<FileWatch> {
  let known = await fingerprint(paths);
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let closed = false;
  const look = async (): Promise<void> => {
    if (looking || closed) return;
    looking = true;
    const seen = await fingerprint(paths);
    if (seen !== known && !closed) {
      known = seen;
      await changed();
    }
    looking = false;
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), quietMs);
  };
  const watchers = paths.flatMap(({ path }) => watchOne(path, soon));
  const rescan = setInterval(() => void look(), rescanMs);
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      clearInterval(rescan);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchOne(path: string, soon: () => void): FSWatcher[] {
  const watchers: FSWatcher[] = [];
  // A file replaced by rename is seen by its directory only.
  for (const place of [path, dirname(path)])
    try {
      watchers.push(watch(place, { persistent: false }, soon).on('error', () => undefined));
    } catch {
      // The look every few seconds does without.
    }
  return watchers;
}

/** Names, sizes and times of everything watched. */
async function fingerprint(paths: readonly { readonly path: string; readonly deep?: boolean }[]): Promise<string> {
  const lines = await Promise.all(paths.map(({ path, deep }) => describe(path, deep === true ? 2 : 1)));
  return lines.flat().join('\n');
}

async function describe(path: string, depth: number): Promise<string[]> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    const line = `${path} ${mtimeMs} ${ctimeMs} ${size} ${ino}`;
    if (depth === 0) return [line];
    const names = await readdir(path).catch(() => undefined);
    if (names === undefined) return [line];
    return (await Promise.all(names.sort().map((name) => describe(join(path, name), depth - 1)))).flat();
  } catch {
    return [`${path} gone`];
  }
}
