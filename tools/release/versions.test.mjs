import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../check/step.mjs';
import { readPackages } from '../check/workspace.mjs';
import { applyChangesets, readVersions, versionTable } from './versions.mjs';

const packages = readPackages(root).filter(({ manifest }) => manifest.private !== true);
let copy;

/** The packages without their sources, all released as 0.3.0, and one changeset. */
beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'zoneproof-versions-'));
  for (const path of ['package.json', '.changeset/config.json']) await cp(join(root, path), join(copy, path));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { folder, manifest } of packages)
    await write(
      `${folder}/package.json`,
      JSON.stringify(released(manifest, new Set(packages.map(({ name }) => name)))),
    );
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
});
afterEach(() => rm(copy, { recursive: true, force: true }));

test('a minor of core is no major of a provider, nor of the testkit', async () => {
  const { before, after } = await version({ '@zoneproof/core': 'minor' });
  expect(after.get('@zoneproof/core')).toBe('0.4.0');
  const others = [...after].filter(([name]) => name.includes('/provider-'));
  expect(others.length).toBeGreaterThan(5);
  expect(others.filter(([, version]) => !/^0\.3\.[01]$/.test(version))).toEqual([]);
  expect(
    versionTable(
      before,
      [...after].map(([name, version]) => ({ name, version })),
    ),
  ).toMatch(/^@zoneproof\/core +0\.3\.0 {2}-> 0\.4\.0$/m);
});

test('the peer range of a provider takes the core of before and the new one', async () => {
  await version({ '@zoneproof/core': 'minor' });
  for (const { folder, manifest } of packages.filter((one) => one.manifest.zoneproof?.provider !== undefined)) {
    const { peerDependencies } = JSON.parse(await readFile(join(copy, folder, 'package.json'), 'utf8'));
    expect(peerDependencies).toEqual(manifest.peerDependencies);
    expect(peerDependencies['@zoneproof/core']).toBe('0.x');
  }
});

test('a minor of one provider concerns no other package', async () => {
  const { after } = await version({ '@zoneproof/provider-rfc2136': 'minor' });
  expect([...after].filter(([, version]) => version !== '0.3.0')).toEqual([['@zoneproof/provider-rfc2136', '0.4.0']]);
});

test('an example asks for what the workspace releases', async () => {
  await write(
    'examples/some/package.json',
    JSON.stringify({ devDependencies: { '@zoneproof/core': '^0.3.0', jest: '1' } }),
  );
  await version({ '@zoneproof/core': 'minor' });
  const { devDependencies } = JSON.parse(await readFile(join(copy, 'examples/some/package.json'), 'utf8'));
  expect(devDependencies).toEqual({ '@zoneproof/core': '^0.4.0', jest: '1' });
});

async function version(bumps) {
  const lines = Object.entries(bumps).map(([name, bump]) => `"${name}": ${bump}\n`);
  await write('.changeset/one.md', `---\n${lines.join('')}---\n\nSomething new.\n`);
  const before = await readVersions(copy);
  await applyChangesets(copy);
  const after = await readVersions(copy);
  return { before, after: new Map(after.map(({ name, version }) => [name, version])) };
}

function released(manifest, own) {
  const ranges = (field) =>
    Object.fromEntries(
      Object.entries(manifest[field] ?? {})
        .filter(([name]) => name !== '@zoneproof/farm')
        .map(([name, range]) => [name, own.has(name) && field !== 'peerDependencies' ? '^0.3.0' : range]),
    );
  const fields = ['dependencies', 'devDependencies', 'peerDependencies'];
  return { ...manifest, version: '0.3.0', ...Object.fromEntries(fields.map((field) => [field, ranges(field)])) };
}

async function write(path, text) {
  await mkdir(join(copy, path, '..'), { recursive: true });
  await writeFile(join(copy, path), text);
}
