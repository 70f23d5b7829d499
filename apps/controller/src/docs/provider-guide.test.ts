import { existsSync, readFileSync } from 'node:fs';
import { providerErrorKinds } from '@zoneproof/core';
import { codeBlocks, readMarkdown, root } from './testing/markdown.ts';

const { text } = readMarkdown('docs/writing-a-provider.md');
const example = 'examples/third-party-provider';

test('every block of code in the guide is a file of the example, as it stands', () => {
  const shown = [...text.matchAll(/<!-- code (\S+) -->\n([\s\S]*?)<!-- \/code -->/g)];
  expect(shown.length).toBeGreaterThan(5);
  for (const [, path, block] of shown)
    expect({ path, code: codeBlocks(block as string)[0]?.text }).toEqual({
      path,
      code: readFileSync(`${root}${path}`, 'utf8'),
    });
  const code = codeBlocks(text).filter(({ language }) => language !== 'sh');
  expect(code.length).toBe(shown.length);
});

test('the guide names each file of a new provider', () => {
  const files = ['package.json', 'config.ts', 'plugin.ts', 'provider.ts', 'errors.ts', 'conformance.test.ts'];
  expect(files.filter((file) => !text.includes(file))).toEqual([]);
});

test('the versions that the example asks for are those of the workspace, and its peer is any minor', () => {
  const read = (path: string) => JSON.parse(readFileSync(`${root}${path}/package.json`, 'utf8'));
  const { dependencies, devDependencies, peerDependencies } = read(example);
  const own = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
    name.startsWith('@zoneproof/'),
  );
  const folderOf = (name: string) => name.replace('@zoneproof/', 'packages/');
  expect(own.length).toBeGreaterThan(1);
  expect(own).toEqual(own.map(([name]) => [name, `^${read(folderOf(name)).version}`]));
  expect(peerDependencies).toEqual({ '@zoneproof/core': '0.x' });
});

test('the example is no member of the workspace', () => {
  const { workspaces } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { workspaces: readonly string[] };
  expect(workspaces.filter((pattern) => pattern.startsWith('examples'))).toEqual([]);
  expect(existsSync(`${root}node_modules/zoneproof-provider-exampledns`)).toBe(false);
});

test('every kind of error is explained', () => {
  const [, table = ''] = /\| kind \| what zoneproof does \|\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const explained = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].flatMap(([, kinds]) =>
    [...(kinds as string).matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind),
  );
  expect(explained.sort()).toEqual([...providerErrorKinds].sort());
});
