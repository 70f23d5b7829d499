import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { Plan } from './plan.ts';
import type { Fields } from './rules.ts';
import type { Taken } from './taken.ts';

/** One YAML document. */
export function manifestText(manifest: Fields): string {
  return stringify(manifest, { lineWidth: 0 });
}

/**
 * The files to write: one for a FILE; for a directory, or a path that ends in a slash, one for each object and
 * `secrets.yaml`. What holds Secrets is for its owner's eyes only.
 */
export async function outputFiles(
  out: string,
  { objects, secrets }: Pick<Plan, 'objects' | 'secrets'>,
): Promise<readonly OutputFile[]> {
  if (!(await isDirectory(out))) {
    const texts = [...objects.map(({ manifest }) => manifest), ...secrets].map(manifestText);
    return [{ path: out, text: texts.join('---\n'), isSecret: secrets.length > 0 }];
  }
  const files = objects.map((taken) => ({
    path: join(out, fileName(taken)),
    text: manifestText(taken.manifest),
    isSecret: false,
  }));
  if (secrets.length === 0) return files;
  return [...files, { path: join(out, 'secrets.yaml'), text: secrets.map(manifestText).join('---\n'), isSecret: true }];
}

export interface OutputFile {
  readonly path: string;
  readonly text: string;
  readonly isSecret: boolean;
}

/** @throws what the file system throws */
export async function writeFiles(files: readonly OutputFile[]): Promise<void> {
  for (const { path, text, isSecret } of files) {
    await mkdir(resolve(path, '..'), { recursive: true });
    await writeFile(path, text, { mode: isSecret ? 0o600 : 0o644 });
  }
}

function fileName({ from: { kind, namespace, name } }: Taken): string {
  return `${[kind.toLowerCase(), namespace, name].filter((part) => part !== undefined).join('.')}.yaml`;
}

async function isDirectory(out: string): Promise<boolean> {
  if (out.endsWith('/')) return true;
  return stat(out).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
