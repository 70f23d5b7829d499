import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineProvider, Type } from '../contract/index.ts';
import { entryOf } from './import-package.ts';
import { createRegistry, discoverProviders, type InstalledProvider, RegistryError } from './index.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'registry-')));
});

afterEach(() => rm(root, { recursive: true }));

async function install(at: string, manifest: object | string, files: Record<string, string> = {}): Promise<string> {
  const directory = join(root, at);
  await mkdir(directory, { recursive: true });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  for (const [name, content] of Object.entries({ 'package.json': text, ...files })) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  return directory;
}

const marked = (name: string, provider: unknown, more: object = {}) => ({
  name,
  version: '1.2.3',
  zoneproof: { provider, apiVersion: 1 },
  ...more,
});

const plugin = (key: string) =>
  defineProvider({
    key,
    displayName: 'Test',
    schema: Type.Object({ host: Type.String(), port: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    example: { host: 'a' },
    capabilities: {
      model: 'record',
      maxValuesPerName: 9,
      batch: { maxChanges: 1, atomic: false },
      writeScope: 'none',
      compareAndSet: false,
      ttl: { min: 0, max: 60, default: 60 },
      sync: false,
      buckets: [],
    },
    problems: ({ host }) => (host === 'bad' ? [{ path: 'host', message: 'is bad', severity: 'error' }] : []),
    account: ({ host }) => host,
    create: () => ({ apply: async () => [], check: async () => [] }),
  });

const one = (key: string, more: Partial<InstalledProvider> = {}): InstalledProvider => ({
  key,
  packageName: `provider-${key}`,
  version: '1.0.0',
  directory: `/x/provider-${key}`,
  ...more,
});

describe('discovery', () => {
  test('looks where Node looks from the given folder, scopes included, and nowhere else', async () => {
    await install('app/node_modules/zoneproof', { name: 'zoneproof' });
    await install('app/node_modules/@zoneproof/provider-a', marked('@zoneproof/provider-a', 'a'));
    await install('app/node_modules/plain', marked('plain', 'plain'));
    await install('app/node_modules/not-one', { name: 'not-one', keywords: ['zoneproof'] });
    await install('app/node_modules/.hidden', marked('.hidden', 'hidden'));
    const description = 'DNS01 provider for Above';
    await install('node_modules/above', marked('above', 'above', { description }));
    await install('app/node_modules/zoneproof/node_modules/below', marked('below', 'below'));
    await install('cwd/node_modules/elsewhere', marked('elsewhere', 'elsewhere'));
    await writeFile(join(root, 'app/node_modules/file'), '');
    const found = await discoverProviders({ from: join(root, 'app/node_modules/zoneproof') });
    expect(found.map(({ key, packageName }) => [key, packageName])).toEqual([
      ['a', '@zoneproof/provider-a'],
      ['above', 'above'],
      ['below', 'below'],
      ['plain', 'plain'],
    ]);
    expect(found[0]).toEqual({
      key: 'a',
      packageName: '@zoneproof/provider-a',
      version: '1.2.3',
      directory: join(root, 'app/node_modules/@zoneproof/provider-a'),
    });
    expect(found[1]?.service).toBe('Above');
  });

  test('a nearer package hides one of its name further up', async () => {
    await install('node_modules/p', marked('p', 'p', { version: '1.0.0' }));
    await install('app/node_modules/p', marked('p', 'p', { version: '2.0.0' }));
    const found = await discoverProviders({ from: join(root, 'app/lib') });
    expect(found.map(({ version }) => version)).toEqual(['2.0.0']);
  });

  test('a linked package is found once, at its real path', async () => {
    const directory = await install('packages/p', marked('p', 'p'));
    await mkdir(join(root, 'node_modules'));
    await symlink(directory, join(root, 'node_modules/p'));
    const found = await discoverProviders({ from: root, pluginDirs: [join(root, 'packages')] });
    expect(found.map((some) => some.directory)).toEqual([directory]);
  });

  test.each([
    ['a package', 'plugins/p'],
    ['a folder of packages', 'plugins'],
    ['a folder with node_modules', 'installed'],
  ])('a plugin directory may be %s', async (_title, dir) => {
    await install('plugins/p', marked('p', 'p'));
    await install('installed/node_modules/@acme/p', marked('@acme/p', 'p'));
    const found = await discoverProviders({ from: join(root, 'none'), pluginDirs: [join(root, dir)] });
    expect(found.map(({ key }) => key)).toEqual(['p']);
  });

  test('a plugin directory that is not there is an error', async () => {
    const missing = join(root, 'missing');
    await expect(discoverProviders({ from: root, pluginDirs: [missing] })).rejects.toThrow(
      `the plugin directory ${missing} cannot be read`,
    );
  });

  test.each<[manifest: object | string, problem: RegExp | 'not found']>([
    [
      { name: 'p', zoneproof: { provider: 'p', apiVersion: 2 } },
      /declares version 2 of the provider contract.*offers version 1/,
    ],
    [{ name: 'p', zoneproof: { provider: 'p' } }, /declares no version/],
    [{ name: 'p', zoneproof: { provider: 'P p', apiVersion: 1 } }, /is no block key/],
    [{ name: 'p', zoneproof: { provider: 5, apiVersion: 1 } }, /is no block key/],
    [{ name: 'p', zoneproof: 'p' }, 'not found'],
    [{ name: 'p', zoneproof: null }, 'not found'],
    ['{"zoneproof": ', 'not found'],
    ['["zoneproof"]', 'not found'],
  ])('%j', async (manifest, problem) => {
    await install('node_modules/p', manifest);
    const [found] = await discoverProviders({ from: root });
    if (problem === 'not found') expect(found).toBeUndefined();
    else expect(found?.problem).toMatch(problem);
  });

  test('300 packages take well under a second', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => install(`node_modules/m${i}`, { name: `m${i}` })));
    const before = performance.now();
    await discoverProviders({ from: root });
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('loading', () => {
  const importing = (module: unknown) => ({ importPlugin: async () => module });

  async function failure(promise: Promise<unknown>): Promise<RegistryError> {
    const error = await promise.catch((reason: unknown) => reason);
    if (!(error instanceof RegistryError)) throw new Error(`expected a RegistryError, got ${error}`);
    return error;
  }

  test('imports a package once, and only when it is used', async () => {
    const imported: string[] = [];
    const registry = createRegistry([one('a'), one('b')], {
      importPlugin: async ({ key }) => {
        imported.push(key);
        return { default: plugin(key) };
      },
    });
    expect(registry.list().map(({ key }) => key)).toEqual(['a', 'b']);
    expect(imported).toEqual([]);
    const [first, second] = await Promise.all([registry.load('b'), registry.load('b')]);
    expect(first.key).toBe('b');
    expect(second).toBe(first);
    expect(imported).toEqual(['b']);
  });

  test('takes the plugin under whatever name it is exported, also twice', async () => {
    const a = plugin('a');
    expect(await createRegistry([one('a')], importing({ rfc: a, default: a, other: 5 })).load('a')).toBe(a);
  });

  test.each<
    [title: string, installed: InstalledProvider[], key: string, module: unknown, kind: string, message: string]
  >([
    [
      'nothing installed',
      [],
      'routedns',
      {},
      'not-installed',
      'provider "routedns" is not installed (no provider package is installed). Install its package, for one of zoneproof\'s own: npm install @zoneproof/provider-routedns',
    ],
    [
      'a typing error',
      [one('rfc2136'), one('acmedns')],
      'rfc2163',
      {},
      'not-installed',
      'provider "rfc2163" is not installed (installed: rfc2136, acmedns). Did you mean "rfc2136"?',
    ],
    [
      "the vendor's name",
      [one('acmedns'), one('edgedns', { service: 'Cloudflare' })],
      'cloudFlare',
      {},
      'not-installed',
      'provider "cloudFlare" is not installed (installed: acmedns, edgedns). Did you mean "edgedns", which is for Cloudflare?',
    ],
    [
      'two packages',
      [one('a'), one('a', { packageName: 'other', directory: '/y' })],
      'a',
      {},
      'duplicate',
      'provider "a": the packages provider-a 1.0.0 (/x/provider-a) and other 1.0.0 (/y) claim the same key. Remove all but one.',
    ],
    [
      'a problem found before',
      [one('a', { problem: 'it declares version 2' })],
      'a',
      {},
      'unusable',
      'provider "a": provider-a 1.0.0 (/x/provider-a) cannot be used: it declares version 2',
    ],
    [
      'no plugin',
      [one('a')],
      'a',
      { default: {} },
      'unusable',
      'provider "a": provider-a 1.0.0 (/x/provider-a) exports no plugin instead of one made with defineProvider. Report this to its maintainer.',
    ],
    [
      'two plugins',
      [one('a')],
      'a',
      { a: plugin('a'), b: plugin('b') },
      'unusable',
      'provider "a": provider-a 1.0.0 (/x/provider-a) exports 2 plugins instead of one made with defineProvider. Report this to its maintainer.',
    ],
    [
      'another key',
      [one('a')],
      'a',
      { b: plugin('b') },
      'unusable',
      'provider "a": provider-a 1.0.0 (/x/provider-a) declares the key "a" in its package.json and "b" in its code. Report this to its maintainer.',
    ],
  ])('%s', async (_title, installed, key, module, kind, message) => {
    const error = await failure(createRegistry(installed, importing(module)).load(key));
    expect(error.message).toBe(message);
    expect(error.kind).toBe(kind);
    if (kind !== 'not-installed') expect(error.packages).toContain('provider-a');
  });

  test('a package that cannot be imported is named, and gets another chance', async () => {
    let attempts = 0;
    const registry = createRegistry([one('a')], {
      importPlugin: async () => {
        attempts++;
        if (attempts === 1) throw new Error("Cannot find package 'sdk'\n    at somewhere");
        return { a: plugin('a') };
      },
    });
    const error = await failure(registry.load('a'));
    expect(error.message).toBe(
      'provider "a": provider-a 1.0.0 (/x/provider-a) could not be loaded (Cannot find package \'sdk\'). Install it again.',
    );
    expect((await registry.load('a')).key).toBe('a');
  });

  test('a package of another copy of this one is recognised, from its files', async () => {
    const code = `export const plugin = Object.defineProperty(
      { apiVersion: 1, key: 'a' }, Symbol.for('zoneproof.ProviderPlugin'), { value: true });`;
    const exports = { '.': { types: './x.d.ts', default: './lib/index.mjs' } };
    await install('node_modules/p', marked('p', 'a', { exports }), { 'lib/index.mjs': code });
    const registry = createRegistry(await discoverProviders({ from: root }));
    expect((await registry.load('a')).key).toBe('a');
  });
});

describe('a block', () => {
  const registry = createRegistry([one('a')], { importPlugin: async () => ({ a: plugin('a') }) });

  test.each<[block: unknown, problems: string[]]>([
    [{ host: 'good' }, []],
    [
      { hots: 'good', port: 'x' },
      [
        'host: missing field host',
        'hots: unknown field "hots"; did you mean "host"?',
        'port: must be a whole number, found text',
      ],
    ],
    [{ host: 'bad' }, ['host: is bad']],
    [null, [': must be an object, found nothing']],
  ])('%j', async (block, expected) => {
    const problems = await registry.validate('a', block);
    expect(problems.map(({ path, message }) => `${path}: ${message}`).sort()).toEqual(expected);
  });

  test('of a package that is not there', async () => {
    await expect(registry.validate('routedns', {})).rejects.toThrow('npm install @zoneproof/provider-routedns');
  });

  test('a field that belongs elsewhere is told so', async () => {
    const misplacedFields = { clientToken: 'belongs to Other: use other' };
    const importPlugin = async () => ({ a: Object.assign(plugin('a'), { misplacedFields }) });
    const knowing = createRegistry([one('a')], { importPlugin });
    expect(await knowing.validate('a', { hots: 'x', clientToken: 'secret', toString: 1 })).toMatchObject([
      { path: 'host', message: 'missing field host' },
      { path: 'hots', message: 'unknown field "hots"; did you mean "host"?' },
      { path: 'clientToken', message: 'clientToken belongs to Other: use other' },
      { path: 'toString', message: 'unknown field "toString"; known here: host, port' },
    ]);
  });
});

test.each<[manifest: object, entry: string]>([
  [{}, 'index.js'],
  [{ main: 'lib/a.js' }, 'lib/a.js'],
  [{ main: 'lib/a.js', exports: './b.js' }, './b.js'],
  [{ exports: { '.': './b.js' } }, './b.js'],
  [{ exports: { import: './m.js', require: './c.cjs' } }, './m.js'],
  [
    { exports: { '.': { require: './c.cjs', node: { require: './c.cjs', import: './m.js' }, default: './d.js' } } },
    './m.js',
  ],
  [{ exports: { '.': [{ require: './c.cjs' }, './d.js'] } }, './d.js'],
])('the entry of %j is %s', (manifest, entry) => expect(entryOf(manifest)).toBe(entry));

test('a package without an entry for import', () => {
  expect(() => entryOf({ exports: { '.': { require: './c.cjs' } } })).toThrow('exports no "."');
});
