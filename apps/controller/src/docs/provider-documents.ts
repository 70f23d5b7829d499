import { existsSync, readFileSync } from 'node:fs';
import { type ProviderPlugin, withProviderDocs } from '@zoneproof/core';
import { codeBlock, withSection } from './marked.ts';
import { type ProviderPackage, providerPackages } from './provider-packages.ts';

/**
 * The documents that are made in part from the providers of this repository: path to text. READMEs of the providers, the
 * table in README.md, and the code in the guide.
 */
export async function providerDocuments(root: URL): Promise<ReadonlyMap<string, string>> {
  const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
  const [own, examples] = await Promise.all([providerPackages(root, 'packages'), providerPackages(root, 'examples')]);
  const readmes = [...own, ...examples]
    .map(({ folder, plugin }) => ({ path: `${folder}/README.md`, plugin }))
    // One that is missing is the conformance suite's to tell.
    .filter(({ path }) => existsSync(new URL(path, root)))
    .map(({ path, plugin }): [string, string] => [path, withProviderDocs(read(path), plugin)]);
  const guide = 'docs/writing-a-provider.md';
  return new Map([
    ...readmes,
    ['README.md', withSection(read('README.md'), '<!-- providers -->', '<!-- /providers -->', providerTable(own))],
    [guide, withFiles(read(guide), read)],
  ]);
}

function providerTable(providers: readonly ProviderPackage[]): string {
  const rows = providers.map(
    ({ folder, name, plugin }) =>
      `| \`${plugin.key}\` | ${plugin.displayName} | [${name}](${folder}/README.md) | ${abilities(plugin)} |`,
  );
  return ['| block | service | package | can |', '|---|---|---|---|', ...rows].join('\n');
}

/** What its users notice of the capabilities. */
function abilities({ capabilities, policy }: ProviderPlugin): string {
  const { model, batch, maxValuesPerName, compareAndSet, sync } = capabilities;
  const words = [
    model === 'slots' ? `${maxValuesPerName} values a name` : '',
    batch.maxChanges > 1 && model !== 'slots' ? `${batch.maxChanges} values a call` : '',
    compareAndSet ? 'shares names with other writers' : '',
    sync ? 'knows when its servers have it' : '',
    policy === undefined ? '' : 'prints its access policy',
  ];
  return words.filter(Boolean).join(', ');
}

/** `<!-- code PATH -->` to `<!-- /code -->`: the file itself. */
function withFiles(markdown: string, read: (path: string) => string): string {
  return markdown.replaceAll(
    /(<!-- code (\S+) -->\n)[\s\S]*?(<!-- \/code -->)/g,
    (_all, begin: string, path: string, end: string) => `${begin}${codeBlock(path, read(path))}\n${end}`,
  );
}
