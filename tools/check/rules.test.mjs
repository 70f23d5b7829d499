import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dependencyProblems } from './dependencies.mjs';
import { floorProblems } from './floors.mjs';
import { missingOptionals, platformOf } from './lockfile.mjs';
import { wordProblems } from './texts.mjs';
import { importsOf, packageOf, readExamples, readPackages } from './workspace.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

test('imports are found in every form, comments aside', () => {
  const text = `
import 'reflect-metadata';
import type { A } from './a.ts';
import {
  b,
} from '@zoneproof/dns';
export * from '@zoneproof/core';
// import 'no';
/** import { x } from 'neither'; */
const late = await import('cloudflare/resources');
const path = require.resolve('akamai-edgegrid');
const text = 'from me to you';
`;
  expect(importsOf(text)).toEqual([
    'reflect-metadata',
    './a.ts',
    '@zoneproof/dns',
    '@zoneproof/core',
    'cloudflare/resources',
    'akamai-edgegrid',
  ]);
});

test.each([
  ['@zoneproof/core/x', '@zoneproof/core'],
  ['cloudflare/resources', 'cloudflare'],
  ['node:fs', undefined],
  ['../a.ts', undefined],
])('%s is of package %s', (specifier, name) => expect(packageOf(specifier)).toBe(name));

test('the tree keeps its floors', () =>
  expect(floorProblems([...readPackages(root), ...readExamples(root)])).toEqual([]));

test.each([
  ['core imports a floor above', 'core', "import '@zoneproof/sandbox';", 'no floor below'],
  ['acme imports dns', 'acme', "import '@zoneproof/dns';", 'no floor below'],
  ['a provider imports the testkit', 'provider-x', "import '@zoneproof/provider-testkit';", 'no floor below'],
  ['a package looks past an index', 'core', "import '@zoneproof/dns/dist/tsig.js';", 'does not export'],
  ['a path leaves the package', 'core', "import '../../dns/src/name.ts';", 'outside its package'],
])('a broken floor is seen: %s', (_title, name, text, problem) => {
  expect(floorProblems([...bare, source(name, 'a.ts', text)])).toEqual([expect.stringContaining(problem)]);
});

test('tests may import what their package declares for them, but a judge of providers knows none', () => {
  expect(floorProblems([...bare, source('core', 'a.test.ts', "import '@zoneproof/sandbox';")])).toEqual([]);
  const judge = source('provider-testkit', 'a.test.ts', "import '@zoneproof/provider-x';");
  expect(floorProblems([...bare, judge])).toEqual([expect.stringContaining('may know no provider')]);
});

test('a dependency that is missing, unused or in the wrong list is seen', () => {
  const found = source('x', 'a.ts', "import 'undici';\nimport 'yaml';", {
    dependencies: { yaml: '1', ajv: '1' },
    devDependencies: { undici: '1', '@types/node': '1' },
  });
  expect(dependencyProblems([found], {})).toEqual([
    expect.stringContaining('undici is missing in dependencies'),
    expect.stringContaining('ajv is a dependency that no source imports'),
    expect.stringContaining('undici is a devDependency that no test imports'),
  ]);
});

test('this file, which is about words, holds none of them', () => {
  expect(wordProblems(root, ['tools/check/rules.test.mjs', 'tools/check/texts.mjs'])).toEqual([]);
});

test('an optional package that the lock file lacks is seen, wherever npm would put it', () => {
  const packages = {
    '': {},
    'node_modules/a': { dev: true, optionalDependencies: { 'a-linux-x64': '1.0.0', 'a-darwin-arm64': '1.0.0' } },
    'node_modules/a/node_modules/a-linux-x64': { version: '1.0.0' },
  };
  expect(missingOptionals({ packages })).toEqual([
    { path: 'node_modules/a-darwin-arm64', name: 'a-darwin-arm64', version: '1.0.0', dev: true },
  ]);
});

test.each([
  ['@swc/core-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
  ['@swc/core-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ['@turbo/windows-64', { os: ['win32'], cpu: ['x64'] }],
  ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
])('the platform of %s', (name, platform) => expect(platformOf(name)).toEqual(platform));

const bare = ['dns', 'sandbox', 'provider-testkit', 'provider-x'].map((name) => source(name, 'index.ts', ''));

function source(name, file, text, manifest = {}) {
  const folder = `packages/${name}`;
  const path = `${folder}/src/${file}`;
  const marker = name === 'provider-x' ? { zoneproof: { provider: 'x', apiVersion: 1 } } : {};
  return {
    name: `@zoneproof/${name}`,
    folder,
    manifest: { ...marker, ...manifest },
    files: [{ path, test: file.includes('.test.'), text }],
  };
}
