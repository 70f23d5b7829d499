import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestProblem } from './problem.ts';

/** Manifests are small; a larger file is none. */
const maxFileOctets = 32 * 1024 * 1024;

/**
 * The manifest files of `paths`: files as given, of a directory the `*.yaml`, `*.yml` and `*.json` in it (not below
 * it; hidden ones are passed over), in the order of their names.
 */
export async function listManifestFiles(
  paths: readonly string[],
): Promise<{ readonly files: readonly string[]; readonly problems: readonly ManifestProblem[] }> {
  const files = new Set<string>();
  const problems: ManifestProblem[] = [];
  for (const path of paths) {
    try {
      if (!(await stat(path)).isDirectory()) files.add(path);
      else {
        const found = (await readdir(path)).filter((name) => /^[^.].*\.(?:ya?ml|json)$/.test(name)).sort();
        if (found.length === 0)
          problems.push(about(path, 'the directory holds no *.yaml, *.yml or *.json file.', 'warning'));
        for (const name of found) if (!(await isDirectory(join(path, name)))) files.add(join(path, name));
      }
    } catch (error) {
      problems.push(about(path, describeFileError(error)));
    }
  }
  return { files: [...files], problems };
}

/** Why the directory of mounted Secrets cannot be used. */
export async function secretsDirProblems(secretsDir: string | undefined): Promise<readonly ManifestProblem[]> {
  if (secretsDir === undefined) return [];
  try {
    await readdir(secretsDir);
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return [about(secretsDir, 'it is no directory; --secrets takes one with files NAME/ENTRY.')];
    return [about(secretsDir, describeFileError(error))];
  }
}

/** The text of one file, or why it cannot be had. */
export async function readManifestFile(
  file: string,
): Promise<{ readonly text: string } | { readonly problem: ManifestProblem }> {
  try {
    const { size } = await stat(file);
    if (size > maxFileOctets) return { problem: about(file, `${size} octets are too many for a manifest.`) };
    const octets = await readFile(file);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(octets) };
  } catch (error) {
    return { problem: about(file, describeFileError(error)) };
  }
}

function about(file: string, message: string, severity: ManifestProblem['severity'] = 'error'): ManifestProblem {
  return { file, line: 1, severity, message };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await lstat(path)).isDirectory();
}

function describeFileError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
  if (code === 'ENOENT') return 'there is no such file or directory.';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'the file is not UTF-8 text.';
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read: check its permissions.';
  return `the file cannot be read (${code}).`;
}
