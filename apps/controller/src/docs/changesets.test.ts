import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { root } from './testing/markdown.ts';

const publicPackages = ['packages', 'apps']
  .flatMap((family) => readdirSync(`${root}${family}`).map((name) => `${family}/${name}`))
  .filter((folder) => existsSync(`${root}${folder}/package.json`))
  .map((folder) => ({ folder, ...JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) }))
  .filter((manifest) => manifest.private !== true);

const changesets = readdirSync(`${root}.changeset`)
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const [, head = '', text = ''] =
      /^---\n([\s\S]*?)---\n\n([\s\S]+)$/.exec(readFileSync(`${root}.changeset/${name}`, 'utf8')) ?? [];
    const bumps = [...head.matchAll(/^"([^"]+)": (\w+)$/gm)].map(([, changed, bump]) => ({ changed, bump }));
    return { name, bumps, text: text.trim() };
  });

test('changesets name public packages and say something', () => {
  const names = publicPackages.map(({ name }) => name);
  const wrong = changesets.filter(
    ({ bumps, text }) =>
      text === '' ||
      bumps.length === 0 ||
      bumps.some(({ changed, bump }) => !names.includes(changed) || !/^(?:patch|minor|major)$/.test(bump as string)),
  );
  expect(wrong).toEqual([]);
});

test('every public package that was never released has a changeset', () => {
  const announced = changesets.flatMap(({ bumps }) => bumps.map(({ changed }) => changed));
  const released = (folder: string) => existsSync(`${root}${folder}/CHANGELOG.md`);
  const silent = publicPackages.filter(({ folder, name }) => !released(folder) && !announced.includes(name));
  expect(silent.map(({ name }) => name)).toEqual([]);
});
