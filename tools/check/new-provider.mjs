// `npm run new:provider` in a copy of the tree: what it makes has to build, to be clean, and to be told promise by promise
// what it lacks, and nothing that packages share may need a hand. `node tools/check/new-provider.mjs`; build first.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyTree } from './copy-tree.mjs';
import { dependencyProblems } from './dependencies.mjs';
import { floorProblems } from './floors.mjs';
import { root, step, summary } from './step.mjs';
import { readPackages } from './workspace.mjs';

const exec = promisify(execFile);
const key = 'otherdns';
const folder = `packages/provider-${key}`;
const copy = await mkdtemp(join(tmpdir(), 'zoneproof-new-provider-'));
const run = (program, ...args) => exec(program, args, { cwd: copy, env: { ...process.env, CI: 'true' } });
const git = async (...args) =>
  (await run('git', '-c', 'user.name=check', '-c', 'user.email=check@localhost', ...args)).stdout;
const node = (...args) => run(process.execPath, ...args);
const jest = (...args) => node('--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args);
const bin = (name) => join(copy, 'node_modules', '.bin', name);

try {
  await copyTree(root, copy, git);
  await step(`npm run new:provider -- ${key}`, () => run('npm', 'run', '--silent', 'new:provider', '--', key));
  await step('it is formatted and clean', () => run(bin('biome'), 'check', folder));
  await step('its types are right, those of its tests too', typesOfTests);
  await step('it keeps floors and dependencies', async () => {
    const manifest = JSON.parse(await readFile(join(copy, 'package.json'), 'utf8'));
    const packages = readPackages(copy);
    const problems = [...floorProblems(packages), ...dependencyProblems(packages, manifest)];
    const own = problems.filter((problem) => problem.includes(folder));
    if (own.length > 0) throw new Error(own.join('\n'));
  });
  await step('its conformance run names each promise that is not kept yet', conformance);
  await step('the documents hold with it in them', () => jest('apps/controller/src/docs'));
  await step('no shared file is changed by hand', sharedFiles);
} finally {
  await rm(copy, { recursive: true, force: true });
}
process.exitCode = summary();

async function typesOfTests() {
  const said = await run(bin('tsc'), '-p', 'tsconfig.test.json').then(
    () => '',
    ({ stdout }) => stdout,
  );
  const own = said.split('\n').filter((line) => line.startsWith(folder));
  if (own.length > 0) throw new Error(own.join('\n'));
}

async function conformance() {
  const outputFile = join(copy, 'conformance.json');
  const passed = await jest('--json', '--outputFile', outputFile, folder).then(
    () => true,
    () => false,
  );
  const { testResults } = JSON.parse(await readFile(outputFile, 'utf8'));
  await rm(outputFile);
  const [file] = testResults;
  const missing = file.assertionResults.filter(({ status }) => status === 'failed');
  if (passed || missing.length === 0) throw new Error('a provider that does nothing keeps every promise');
  const promises = missing.filter(({ title }) => /^[A-Z]\d+: /.test(title));
  const crashes = promises.filter(({ failureMessages: [text] }) => reasonOf(text) === undefined);
  if (crashes.length > 0) throw new Error(crashes.map(({ failureMessages }) => failureMessages[0]).join('\n'));
  for (const { title, failureMessages } of missing)
    console.log(`        lacks ${title}: ${reasonOf(failureMessages[0]) ?? failureMessages[0]}`);
  const ids = promises.map(({ title }) => title.split(':')[0]);
  const wanted = ['E1', 'E2', 'E3', 'E4', 'E5', 'A1', 'A2', 'A7', 'Z1', 'C1'].filter((id) => !ids.includes(id));
  if (wanted.length > 0) throw new Error(`it is not told that it lacks ${wanted.join(', ')}`);
}

/** What is neither its own nor what the generators write again. */
async function sharedFiles() {
  const changed = await changedFiles();
  const shared = changed.filter((path) => !path.startsWith(`${folder}/`) && path !== `.changeset/first-${key}.md`);
  await git('add', '--all');
  await git('commit', '--quiet', '--no-verify', '-m', 'the provider');
  // What generators made they make again out of nothing but the sources; what a hand made stays lost.
  for (const path of shared) await git('checkout', '--quiet', 'HEAD~1', '--', path);
  await run('npm', 'install', '--package-lock-only', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
  await node('tools/check/lockfile.mjs');
  await run('npm', 'run', '--silent', 'generate');
  const byHand = await changedFiles();
  console.log(`        generated: ${shared.join(', ')}`);
  console.log(`        shared files changed by hand: ${byHand.length}`);
  if (byHand.length > 0) throw new Error(`generators do not write what is in ${byHand.join(', ')}`);
}

/** What is not as in the last commit. */
async function changedFiles() {
  await git('add', '--all');
  return (await git('diff', '--cached', '--name-only', 'HEAD')).split('\n').filter(Boolean);
}

/** What the suite or the provider says; undefined when something else broke. */
function reasonOf(text) {
  const [line] = text.split('\n');
  return /^(?!ProviderError)\w*Error\b/.test(line) ? undefined : line.replace(/^ProviderError: /, '');
}
