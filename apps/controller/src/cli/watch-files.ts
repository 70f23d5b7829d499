import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listManifestFiles } from '../manifests/index.ts';

export interface WatchedFiles {
  /** Manifest files, and directories of them. */
  readonly paths: readonly string[];
  /** A directory of files `NAME/ENTRY`. */
  readonly secretsDir?: string;
}

const quietMs = 50; // an editor is through with its rename by then; of a slow copy the last look counts

/**
 * Calls `changed` after a manifest or a mounted secret came, went or was written. File system events wake it early; a
 * look every five seconds catches what they miss (network file systems, replaced mounts). One call at a time;
 * what it answers with false is not done with, and it is called again at the next of these looks. It must not throw.
 */
export async function watchFiles(
  files: WatchedFiles,
  changed: () => Promise<boolean>,
  rescanMs = 5_000,
): Promise<{ readonly close: () => void }> {
  let known = await fingerprint(files);
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let again = false;
  let closed = false;
  let unfinished = false;
  const look = async (retry: boolean): Promise<void> => {
    if (looking) again = true;
    if (looking || closed) return;
    looking = true;
    let due = retry;
    do {
      again = false;
      const seen = await fingerprint(files);
      const wanted = seen !== known || (due && unfinished);
      due = false;
      if (!wanted || closed) continue;
      known = seen;
      unfinished = !(await changed());
    } while (again && !closed);
    looking = false;
  };
  const soon = (): void => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void look(false), quietMs);
  };
  const secrets = files.secretsDir === undefined ? [] : [files.secretsDir];
  // A file replaced by rename is seen by its directory only.
  const places = new Set([...files.paths, ...files.paths.map((path) => dirname(path)), ...secrets]);
  const watchers = [...places].flatMap((path) => watchPlace(path, soon));
  const rescan = setInterval(() => void look(true), rescanMs);
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
      clearInterval(rescan);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchPlace(path: string, soon: () => void): FSWatcher[] {
  try {
    return [watch(path, { persistent: false }, soon).on('error', () => undefined)];
  } catch {
    // The look every few seconds does without.
    return [];
  }
}

/** Names, sizes and times of everything watched. */
async function fingerprint({ paths, secretsDir }: WatchedFiles): Promise<string> {
  const { files } = await listManifestFiles(paths);
  const entries = secretsDir === undefined ? [] : await entriesBelow(secretsDir);
  return (await Promise.all([...files, ...entries].map(describe))).join('\n');
}

async function entriesBelow(secretsDir: string): Promise<readonly string[]> {
  const names = await list(secretsDir);
  return (
    await Promise.all(
      names.map(async (name) => (await list(join(secretsDir, name))).map((entry) => join(secretsDir, name, entry))),
    )
  ).flat();
}

async function list(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(() => [])).sort();
}

async function describe(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(path);
    return `${path} ${mtimeMs} ${ctimeMs} ${size} ${ino}`;
  } catch {
    return `${path} gone`;
  }
}
