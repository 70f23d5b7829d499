import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const template = new URL('template/', import.meta.url).pathname;

/**
 * The files of a new provider package, path to text. In the workspace it is built and tested as its siblings are; a
 * package of a stranger brings its own set-up, that of examples/third-party-provider.
 */
export function packageFiles(root, names, isOwn) {
  const files = new Map();
  for (const path of readdirSync(template, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.tmpl'))
      files.set(path.slice(0, -'.tmpl'.length), fill(readFileSync(join(template, path), 'utf8'), names));
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const setUp = isOwn ? ownSetUp(read, names) : strangersSetUp(read, names);
  return new Map([...setUp, ...files]);
}

function fill(text, names) {
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name) => names[name]);
}

function ownSetUp(read, { key, packageName, displayName }) {
  const version = (folder) => `^${JSON.parse(read(`packages/${folder}/package.json`)).version}`;
  const manifest = {
    name: packageName,
    version: '0.0.0',
    description: `DNS01 provider for ${displayName}`,
    license: 'Apache-2.0',
    type: 'module',
    engines: JSON.parse(read('package.json')).engines,
    exports: {
      '.': {
        '@zoneproof/source': './src/index.ts',
        types: './dist/index.d.ts',
        default: './dist/index.js',
      },
    },
    files: ['dist/**/*.js', 'dist/**/*.d.ts', '!dist/**/*.test.*'],
    scripts: { build: 'tsc -b' },
    zoneproof: { provider: key, apiVersion: 1 },
    peerDependencies: { '@zoneproof/core': '0.x' },
    devDependencies: {
      '@zoneproof/core': version('core'),
      '@zoneproof/dns': version('dns'),
      '@zoneproof/provider-testkit': version('provider-testkit'),
    },
  };
  const tsconfig = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { rootDir: 'src', outDir: 'dist' },
    include: ['src/**/*.ts'],
    exclude: ['src/**/*.test.ts', 'src/testing'],
    references: [{ path: '../core' }],
  };
  return [
    ['package.json', json(manifest)],
    ['tsconfig.json', json(tsconfig)],
    ['LICENSE', read('LICENSE')],
  ];
}

function strangersSetUp(read, { key, packageName, displayName }) {
  const example = 'examples/third-party-provider';
  const manifest = JSON.parse(read(`${example}/package.json`));
  const { license: _license, ...own } = {
    ...manifest,
    name: packageName,
    version: '0.0.0',
    description: `DNS01 provider for ${displayName}`,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    zoneproof: { provider: key, apiVersion: 1 },
  };
  return [
    ['package.json', json(own)],
    ['tsconfig.json', read(`${example}/tsconfig.json`)],
    ['jest.config.js', read(`${example}/jest.config.js`)],
    ['.gitignore', 'dist/\nnode_modules/\n'],
  ];
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
