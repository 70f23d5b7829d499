import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inDirectory, runMain } from '../cli/testing/run-main.ts';
import { documentedManifests, writeGivenSecrets } from './testing/documented-manifests.ts';
import { markdownFiles } from './testing/markdown.ts';

const documents = markdownFiles()
  .map(({ path, text }) => [path, documentedManifests(text)] as const)
  .filter(([, manifests]) => manifests.length > 0);

test('the documents that are to show manifests do', () => {
  expect(documents.map(([path]) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/manifests.md']));
});

test.each(documents)('the manifests in %s are valid together, without a warning', (_path, manifests) =>
  inDirectory(async (directory) => {
    const [source, secrets] = [join(directory, 'm'), join(directory, 'secrets')];
    await writeGivenSecrets(secrets);
    const files = manifests.map(({ file }) => join(source, file));
    for (const [i, { text }] of manifests.entries()) {
      await mkdir(dirname(files[i] as string), { recursive: true });
      await writeFile(files[i] as string, text);
    }
    const { out } = await runMain(['validate', ...files, '--secrets', secrets, '-o', 'json']);
    const report = JSON.parse(out);
    expect(report.problems).toEqual([]);
    expect(report.objects.length).toBeGreaterThanOrEqual(manifests.length);
  }),
);
