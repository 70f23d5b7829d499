import { root } from '../check/step.mjs';
import { closure } from './closure.mjs';
import { isNeeded } from './needed.mjs';
import { providersOf } from './providers.mjs';

const locked = {
  '': {},
  'node_modules/zoneproof': { resolved: 'apps/controller', link: true },
  'node_modules/@zoneproof/dns': { resolved: 'packages/dns', link: true },
  'apps/controller': {
    version: '1.0.0',
    dependencies: { '@zoneproof/dns': '1', commander: '14' },
    devDependencies: { jest: '30' },
    peerDependencies: { 'some-client': '1' },
    peerDependenciesMeta: { 'some-client': { optional: true } },
  },
  'apps/controller/node_modules/commander': { version: '14.0.0' },
  'node_modules/commander': { version: '2.0.0' },
  'node_modules/some-client': { version: '1.0.0' },
  'node_modules/jest': { version: '30.0.0' },
  'packages/dns': { version: '1.1.0', dependencies: { packet: '5', '@types/node': '20' } },
  'node_modules/packet': { version: '5.0.0', dependencies: { ip: '1' }, optionalDependencies: { native: '1' } },
  'node_modules/packet/node_modules/ip': { version: '1.2.0', peerDependencies: { packet: '5' } },
  'node_modules/ip': { version: '2.0.0' },
  'node_modules/native': { version: '1.0.0' },
  'node_modules/@types/node': { version: '20.0.0' },
};

test('the closure holds what runs, where Node finds it, in the versions of the lock file', () => {
  const placed = closure(locked, ['zoneproof'], (folder) => folder !== 'node_modules/native');
  expect(placed.map(({ to, version }) => `${to} ${version}`)).toEqual([
    'node_modules/@zoneproof/dns 1.1.0',
    'node_modules/packet 5.0.0',
    'node_modules/packet/node_modules/ip 1.2.0',
    'node_modules/zoneproof 1.0.0',
    'node_modules/zoneproof/node_modules/commander 14.0.0',
  ]);
  expect(placed.filter(({ own }) => own).map(({ from }) => from)).toEqual(['packages/dns', 'apps/controller']);
});

test('a package that is not installed is named, with the one that needs it', () => {
  expect(() => closure(locked, ['zoneproof'], (folder) => folder !== 'node_modules/packet')).toThrow(
    'packet, which @zoneproof/dns@1.1.0 needs, is not installed; run npm ci',
  );
  expect(() => closure(locked, ['nobody'], () => true)).toThrow(
    'nobody, which the tree needs, is not in package-lock.json',
  );
});

test.each([
  ['dist/index.js', true],
  ['dist/doc/Document.js', true],
  ['lib/history.js', true],
  ['build/attr_spec.js', true],
  ['lib/test/fake.js', true],
  ['package.json', true],
  ['protos/all.json', true],
  ['LICENSE', true],
  ['LICENSE.md', true],
  ['docs/license.txt', true],
  ['dist/index.d.ts', false],
  ['dist/index.d.mts', false],
  ['src/index.ts', false],
  ['dist/index.js.map', false],
  ['test/index.js', false],
  ['examples/one.js', false],
  ['dist/index.test.js', false],
  ['README.md', false],
  ['.eslintrc.json', false],
  ['prebuilds/linux-x64/addon.bare', false],
])('%s is needed: %s', (path, needed) => expect(isNeeded(path)).toBe(needed));

test('all providers, or those that are listed', () => {
  const all = providersOf(root).map(({ key }) => key);
  expect(all).toEqual(expect.arrayContaining(['acmedns', 'rfc2136', 'routedns']));
  expect(providersOf(root, 'routedns, rfc2136').map(({ name }) => name)).toEqual([
    '@zoneproof/provider-rfc2136',
    '@zoneproof/provider-routedns',
  ]);
  expect(() => providersOf(root, 'rfc2136,route53')).toThrow('no provider is called route53; there are acmedns,');
});
