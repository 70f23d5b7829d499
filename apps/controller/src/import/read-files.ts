import { parseDocuments } from '../manifests/document.ts';
import { listManifestFiles, readManifestFile } from '../manifests/files.ts';
import type { ManifestProblem } from '../manifests/problem.ts';
import { type Read, readForeign } from './objects.ts';

/** What files and directories hold of cert-manager; the problems are those of reading them. */
export async function readFiles(
  paths: readonly string[],
): Promise<Read & { readonly files: readonly string[]; readonly problems: readonly ManifestProblem[] }> {
  const { files, problems: unlisted } = await listManifestFiles(paths);
  const problems = [...unlisted];
  const read: Read[] = [];
  for (const file of files) {
    const text = await readManifestFile(file);
    if ('problem' in text) {
      problems.push(text.problem);
      continue;
    }
    const parsed = parseDocuments(file, text.text);
    problems.push(...parsed.problems);
    for (const { value, at } of parsed.documents)
      read.push(readForeign(value, (path) => ({ file, line: at(path).line })));
  }
  return {
    files,
    problems,
    objects: read.flatMap(({ objects }) => objects),
    secrets: read.flatMap(({ secrets }) => secrets),
  };
}
