import { readFileSync } from 'node:fs';
import { createRegistry, type ProviderPlugin, providerErrorKinds } from '@zoneproof/core';
import { exampledns } from './testing/example-provider.ts';
import { codeBlocks, readMarkdown, root } from './testing/markdown.ts';

const { text } = readMarkdown('docs/writing-a-provider.md');
const blocks = codeBlocks(text);

test('the provider in docs/writing-a-provider.md is the one that is compiled here', () => {
  const source = readFileSync(`${root}apps/controller/src/docs/testing/example-provider.ts`, 'utf8');
  expect(blocks.find(({ text: code }) => code.includes('defineProvider({'))?.text).toBe(source);
});

test('its package.json marks it, it loads, and its example is valid', async () => {
  const manifest = JSON.parse(blocks.find(({ language }) => language === 'json')?.text ?? '{}');
  const { provider: key, apiVersion } = manifest.zoneproof;
  expect(apiVersion).toBe(exampledns.apiVersion);
  const installed = { key, packageName: manifest.name, version: manifest.version, directory: '' };
  const registry = createRegistry([installed], { importPlugin: async () => ({ exampledns }) });
  expect(await registry.load(key)).toBe(exampledns as unknown as ProviderPlugin);
  expect(await registry.validate(key, exampledns.example)).toEqual([]);
});

test('the versions it asks for are those of the workspace', () => {
  const manifest = JSON.parse(blocks.find(({ language }) => language === 'json')?.text ?? '{}');
  const core = JSON.parse(readFileSync(`${root}packages/core/package.json`, 'utf8'));
  const asked = { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies };
  const own = Object.entries(asked).filter(([name]) => name.startsWith('@zoneproof/'));
  expect(own).toEqual(own.map(([name]) => [name, `^${core.version}`]));
});

test('every kind of error is explained', () => {
  const [, table = ''] = /\| kind \| what zoneproof does \|\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const explained = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].flatMap(([, kinds]) =>
    [...(kinds as string).matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind),
  );
  expect(explained.sort()).toEqual([...providerErrorKinds].sort());
});
