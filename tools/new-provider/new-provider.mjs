// `npm run new:provider -- KEY [--dir DIR]`: a provider package that builds, and whose conformance run lists what is
// missing. In the workspace (packages/provider-KEY), or with --dir a package of its own anywhere.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readPackages } from '../check/workspace.mjs';
import { namesOf } from './names.mjs';
import { packageFiles } from './package-files.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

try {
  main();
} catch (error) {
  console.error(`new:provider: ${error.message}`);
  process.exitCode = 1;
}

function main() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { dir: { type: 'string' } } });
  const [key] = positionals;
  if (key === undefined || positionals.length > 1) throw new Error('write npm run new:provider -- KEY [--dir DIR]');
  const isOwn = values.dir === undefined;
  const names = namesOf(key, isOwn);
  const folder = isOwn ? join(root, 'packages', `provider-${key.toLowerCase()}`) : resolve(values.dir);
  refuseTaken(key, folder, isOwn);

  for (const [path, text] of packageFiles(root, names, isOwn)) write(join(folder, path), text);
  if (isOwn) enter(names, folder);
  console.log(`${names.packageName} is in ${relative(process.cwd(), folder) || folder}. What is missing:\n`);
  console.log(isOwn ? `  ${testCommand(folder)}` : `  cd ${values.dir}\n  ${installCommand(folder)}\n  npm test`);
  console.log('\ndocs/writing-a-provider.md goes through it file by file.');
}

function refuseTaken(key, folder, isOwn) {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is there already`);
  const owner = readPackages(root).find(({ manifest }) => manifest.zoneproof?.provider === key);
  if (owner !== undefined && isOwn) throw new Error(`the key "${key}" is that of ${owner.name}`);
}

/** Makes the package one of the workspace: changeset, lock file, link, and every generated file. */
function enter({ packageName, displayName, key }, folder) {
  const text = `---\n"${packageName}": minor\n---\n\nFirst release. DNS01 challenges in zones at ${displayName}.\n`;
  // Names of other lengths break lines at other places.
  run(join(root, 'node_modules', '.bin', 'biome'), ['check', '--write', folder]);
  write(join(root, '.changeset', `first-${key.toLowerCase()}.md`), text);
  // The lock file alone: what the new package needs is there already, but for the link to itself.
  run('npm', ['install', '--package-lock-only', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']);
  run(process.execPath, ['tools/check/lockfile.mjs']);
  const link = join(root, 'node_modules', packageName);
  if (!existsSync(link)) symlinkSync(relative(dirname(link), folder), link);
  run('npm', ['run', '--silent', 'generate']);
}

function run(program, args) {
  try {
    execFileSync(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    throw new Error(`${[program, ...args].join(' ')} failed:\n${error.stdout}${error.stderr}`);
  }
}

/** Links to this clone, so that its packages need not be on the registry. */
function installCommand(folder) {
  const packages = ['core', 'dns', 'provider-testkit'].map((name) => relative(folder, join(root, 'packages', name)));
  return `npm install --no-save ${packages.join(' ')}`;
}

function testCommand(folder) {
  return `node --experimental-vm-modules node_modules/jest/bin/jest.js ${relative(root, folder)}`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
