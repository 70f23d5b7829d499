import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, writeFileAtomically } from './atomic-file.ts';

/** The layout this program writes. It grows when an older program would misread the directory. */
export const currentFormat = 1;

/** Turns a state directory of format `from` into one of `from + 1`, in place. */
export interface Migration {
  readonly from: number;
  migrate(stateDir: string): Promise<void>;
}

const migrations: readonly Migration[] = [];

/** A state directory that cannot be used; the message says why and what to do. */
export class StateDirError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StateDirError';
  }
}

/**
 * Makes sure that the directory has the current format: a new one gets it, an older one is migrated after a copy was
 * put beside it (`STATE.format-N`), a newer one is refused.
 *
 * @throws StateDirError
 */
export async function prepareFormat(
  stateDir: string,
  steps: { readonly current: number; readonly migrations: readonly Migration[] } = {
    current: currentFormat,
    migrations,
  },
): Promise<void> {
  const found = await readFormat(stateDir);
  if (found === steps.current) return;
  if (found === undefined) return writeFormat(stateDir, steps.current);
  if (found > steps.current) throw newerFormat(stateDir, found, steps.current);
  const copy = `${stateDir.replace(/\/+$/, '')}.format-${found}`;
  // The socket of a dead process cannot be copied and need not be.
  await cp(stateDir, copy, {
    recursive: true,
    verbatimSymlinks: true,
    force: true,
    filter: (path) => !path.endsWith('.sock'),
  });
  for (let format = found; format < steps.current; format++) {
    const step = steps.migrations.find((migration) => migration.from === format);
    if (step === undefined)
      throw new StateDirError(`${stateDir} has format ${found}, which this zoneproof cannot read any more.`);
    await step.migrate(stateDir);
    await writeFormat(stateDir, format + 1);
  }
}

/** For those who only look. @throws StateDirError when the directory has a format that this program would misread */
export async function checkFormat(stateDir: string): Promise<void> {
  const found = await readFormat(stateDir);
  if (found !== undefined && found > currentFormat) throw newerFormat(stateDir, found, currentFormat);
}

function newerFormat(stateDir: string, found: number, known: number): StateDirError {
  return new StateDirError(
    `${stateDir} has format ${found}; this zoneproof knows formats up to ${known}. Use the version that wrote it, or a newer one.`,
  );
}

async function readFormat(stateDir: string): Promise<number | undefined> {
  const path = join(stateDir, 'format.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StateDirError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, error);
  }
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    if (typeof format === 'number' && Number.isInteger(format)) return format;
  } catch {}
  throw new StateDirError(
    `${path} is damaged: it should read {"format": ${currentFormat}}. Is this a zoneproof state directory?`,
  );
}

async function writeFormat(stateDir: string, format: number): Promise<void> {
  await makeDirectory(stateDir);
  await writeFileAtomically(join(stateDir, 'format.json'), `${JSON.stringify({ format })}\n`);
}
