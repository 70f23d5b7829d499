import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { closure } from './closure.mjs';
import { isNeeded } from './needed.mjs';
import { makeOneFile } from './one-file.mjs';

const exec = promisify(execFile);

/**
 * Makes `out`: node_modules with `zoneproof`, these providers and what they need to run, in the versions of
 * package-lock.json, as `npm ci` has installed them and the build has made them. Nothing in it is a link.
 *
 * @param {string} root of the workspace
 * @param {readonly string[]} providers package names
 * @returns {Promise<{packages: number, files: number, bytes: number}>}
 * @throws Error when `out` has files already, or when what is installed is not what the lock file says
 */
export async function makeTree(root, out, providers) {
  if ((await readdir(out).catch(() => [])).length > 0) throw new Error(`${out} is not empty; remove it first`);
  const { packages: locked } = await readJson(join(root, 'package-lock.json'));
  const names = ['zoneproof', ...providers];
  const packages = closure(locked, names, (folder) => existsSync(join(root, folder, 'package.json')));
  const published = await publishedFiles(
    root,
    packages.filter(({ own }) => own),
  );
  const client = await makeOneFile(root, out, '@kubernetes/client-node', ['KubeConfig']);
  const sum = { files: client.files, bytes: client.bytes };
  for (const { from, to, version } of packages) {
    const installed = await readJson(join(root, from, 'package.json'));
    if (installed.version !== version)
      throw new Error(`${from} is ${installed.version}, package-lock.json says ${version}; run npm ci`);
    for (const file of (published.get(from) ?? (await filesOf(join(root, from)))).filter(isNeeded)) {
      const target = join(out, to, file);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(root, from, file), target);
      sum.files++;
      sum.bytes += (await stat(target)).size;
    }
  }
  return { packages: packages.length + 1, ...sum };
}

/** What npm would publish of the packages of the workspace, by folder: not what else lies in them. */
async function publishedFiles(root, own) {
  const args = ['pack', '--dry-run', '--json', ...own.flatMap(({ name }) => ['--workspace', name])];
  const { stdout } = await exec('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const lists = new Map(JSON.parse(stdout).map(({ name, files }) => [name, files.map(({ path }) => path)]));
  for (const { name, from } of own)
    if (!lists.get(name)?.some((path) => path.startsWith('dist/')))
      throw new Error(`${from} has not been built; npm run build`);
  return new Map(own.map(({ name, from }) => [from, lists.get(name)]));
}

/** Without the packages that npm has nested in it. */
async function filesOf(folder) {
  const found = [];
  const walk = async (at) => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== 'node_modules') await walk(join(at, entry.name));
      else if (entry.isFile()) found.push(relative(folder, join(at, entry.name)));
    }
  };
  await walk(folder);
  return found;
}

async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}
