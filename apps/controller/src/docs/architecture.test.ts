import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { markdownFiles, readMarkdown, root } from './testing/markdown.ts';

const { text } = readMarkdown('ARCHITECTURE.md');

interface Manifest {
  readonly folder: string;
  readonly name: string;
  readonly zoneproof?: object;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const folders = ['packages', 'apps', 'tools'].flatMap((family) =>
  readdirSync(`${root}${family}`).map((name) => `${family}/${name}`),
);
const manifests = ['.', 'bench', ...folders]
  .filter((folder) => existsSync(`${root}${folder}/package.json`))
  .map(readManifest);
const own = new Set(manifests.map(({ name }) => name));

test.each(markdownFiles().map(({ path, text }) => [path, text]))('source files that %s names exist', (_path, text) => {
  const named = [...text.matchAll(/`((?:apps|packages|tools|bench)\/[\w./-]+)`/g)].map(([, path]) => path as string);
  const real = named.filter((path) => !path.includes('KEY'));
  expect(real.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});

test('every run-time dependency has a reason, and no other is named', () => {
  const declared = manifests
    .filter((manifest) => manifest.private !== true && manifest.zoneproof === undefined)
    .flatMap(({ name, dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies })
        .filter((one) => !own.has(one))
        .map((one) => `${name} ${one}`),
    );
  const explained = [...text.matchAll(/^\| `([@\w/-]+)` \| ([@\w./-]+) \| .{10,} \|$/gm)].map(
    ([, name, one]) => `${name} ${one}`,
  );
  expect(explained.sort()).toEqual(declared.sort());
});

test.each(manifests.filter(({ zoneproof }) => zoneproof !== undefined).map((one) => [one.folder, one]))(
  '%s gives the reason of each dependency in its own README',
  (folder, { dependencies = {} }) => {
    const readme = readMarkdown(`${folder}/README.md`).text;
    const reasons = [...readme.matchAll(/^- ((?:`[@\w./-]+`(?:, )?)+): .{10,}$/gm)].flatMap(([, names]) =>
      [...(names as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const outside = Object.keys(dependencies).filter((name) => !own.has(name));
    expect(outside.filter((name) => !reasons.includes(name))).toEqual([]);
  },
);

test('every dependency for work on the source has a reason, and no other is named', () => {
  const atRunTime = new Set(
    manifests.flatMap(({ dependencies, peerDependencies }) => Object.keys({ ...dependencies, ...peerDependencies })),
  );
  const declared = manifests.flatMap(({ devDependencies = {} }) => Object.keys(devDependencies));
  const wanted = new Set(declared.filter((name) => !own.has(name) && !atRunTime.has(name)));
  const [, table = ''] = /For work on the source:\n\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const explained = [...table.matchAll(/^\| ([^|`]+) \| .+ \|$/gm)].flatMap(([, names]) =>
    (names as string).split(', '),
  );
  expect(explained.filter((name) => name !== 'dependency').sort()).toEqual([...wanted].sort());
});

test('every package of the workspace is in the picture of the floors', () => {
  const [, floors = ''] = /## Floors\n[\s\S]*?```\n([\s\S]*?)```/.exec(text) ?? [];
  const words = ['core', 'acme', 'dns', 'sandbox', 'provider-testkit', 'controller', 'farm', 'bench'];
  expect(words.filter((word) => !floors.includes(word))).toEqual([]);
  const covered = (folder: string) =>
    words.includes(folder.split('/')[1] as string) || /provider-|tools\/check/.test(folder);
  expect(folders.filter((folder) => !covered(folder) && existsSync(`${root}${folder}/package.json`))).toEqual([]);
});

function readManifest(folder: string): Manifest {
  return { ...JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')), folder };
}
