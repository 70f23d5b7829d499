// `npm run release -- --dry-run`: versions by the changesets, packs and installs everything, all in temporary directories.
// `npm run release -- --confirm VERSION`: the same first; then versions this tree, commits, tags and publishes with
// provenance. VERSION is the one that zoneproof gets, as the dry run shows it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { copyTree } from '../check/copy-tree.mjs';
import { root } from '../check/step.mjs';
import { installInto, pack, zoneproof } from '../packed/tarballs.mjs';
import { applyChangesets, readVersions, versionTable } from './versions.mjs';

const exec = promisify(execFile);
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, confirm: { type: 'string' } } });
const work = await mkdtemp(join(tmpdir(), 'zoneproof-release-'));
try {
  if (!values['dry-run'] && values.confirm === undefined)
    throw new Error('say --dry-run to see what would be released, or --confirm VERSION to release it');
  const after = await rehearse();
  if (!values['dry-run']) await release(after);
} catch (error) {
  console.error(`release: ${[error.message, error.stderr].filter(Boolean).join('\n')}`);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

/** The whole release but for its publication, beside this tree. */
async function rehearse() {
  const copy = join(work, 'copy');
  const identity = ['-c', 'user.name=release', '-c', 'user.email=release@localhost'];
  await copyTree(root, copy, (...args) => exec('git', [...identity, ...args], { cwd: copy }));
  const before = await readVersions(copy);
  await applyChangesets(copy);
  const after = await readVersions(copy);
  console.log(versionTable(before, after));

  const tarballs = new Map();
  for (const { name, folder } of after) tarballs.set(name, (await pack(join(copy, folder), work)).tarball);
  const place = join(work, 'install');
  await installInto(place, [...tarballs.keys()], tarballs);
  console.log(`\n${tarballs.size} packages packed and installed into an empty directory:\n`);
  console.log((await zoneproof(place, 'providers')).trimEnd());
  return after;
}

async function release(planned) {
  const { version } = planned.find(({ name }) => name === 'zoneproof');
  if (values.confirm !== version)
    throw new Error(`zoneproof becomes ${version}, not ${values.confirm}; nothing was done`);
  const git = async (...args) => (await exec('git', args, { cwd: root })).stdout.trim();
  if ((await git('status', '--porcelain')) !== '') throw new Error('the tree has changes; commit them first');
  await applyChangesets(root);
  await exec('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root });
  await exec(process.execPath, ['tools/check/lockfile.mjs'], { cwd: root });
  await exec('npm', ['run', '--silent', 'generate'], { cwd: root });
  await git('add', '--all');
  await git('commit', '--quiet', '--message', `release: zoneproof ${version}`);
  await git('tag', `v${version}`);
  const tarballs = join(work, 'tarballs');
  await mkdir(tarballs);
  for (const { name, folder, version: own } of planned) {
    const isThere = await exec('npm', ['view', `${name}@${own}`, 'version']).then(
      ({ stdout }) => stdout.trim() === own,
      () => false,
    );
    if (isThere) continue;
    const { tarball } = await pack(join(root, folder), tarballs);
    await exec('npm', ['publish', tarball, '--provenance', '--access', 'public'], { cwd: root });
    console.log(`published ${name} ${own}`);
  }
  console.log(`\ngit push --follow-tags publishes the commit and the tag v${version}.`);
}
