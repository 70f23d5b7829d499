import { root } from '../check/step.mjs';
import { namesOf } from './names.mjs';
import { packageFiles } from './package-files.mjs';

test.each([
  ['hetzner', '@zoneproof/provider-hetzner', 'Hetzner'],
  ['exampledns', '@zoneproof/provider-exampledns', 'Example DNS'],
  ['fooBar', '@zoneproof/provider-foobar', 'Foo Bar'],
  ['fooDns', '@zoneproof/provider-foodns', 'Foo DNS'],
  ['dns', '@zoneproof/provider-dns', 'Dns'],
  ['dns2', '@zoneproof/provider-dns2', 'Dns2'],
])('%s is %s, %s', (key, packageName, displayName) =>
  expect(namesOf(key, true)).toMatchObject({ key, packageName, displayName }),
);

test.each(['', 'Foo', '2dns', 'foo-dns', '../x', 'foo_dns'])('"%s" is no key', (key) =>
  expect(() => namesOf(key, true)).toThrow(/is no block key/),
);

test.each([
  [true, '@zoneproof/provider-fooother'],
  [false, 'zoneproof-provider-fooother'],
])('own: %s; every name in the files is that of the provider', (isOwn, name) => {
  const files = packageFiles(root, namesOf('fooOther', isOwn), isOwn);
  const manifest = JSON.parse(files.get('package.json'));
  expect(manifest).toMatchObject({ name, zoneproof: { provider: 'fooOther', apiVersion: 1 } });
  expect(files.get('src/plugin.ts')).toMatch(
    /export const fooOther = defineProvider\(\{\n {2}key: 'fooOther',\n {2}displayName: 'Foo Other'/,
  );
  expect(files.get('README.md')).toContain(`# ${name}\n`);
  const texts = [...files.values()].join('\n');
  expect(texts).not.toMatch(/\{\{|exampledns/i);
});
