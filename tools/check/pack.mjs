// Judges the packages as a user gets them: packed, linted (publint, attw), and installed from the tarballs into an empty
// directory, where the program has to start and to find its provider. Needs `npm run build` first.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readPackages } from './workspace.mjs';

const exec = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const installed = ['zoneproof', '@zoneproof/provider-rfc2136'];

const publicPackages = readPackages(root).filter((found) => found.manifest.private !== true);
const work = await mkdtemp(join(tmpdir(), 'zoneproof-pack-'));
let failed = 0;
try {
  const tarballs = new Map();
  for (const found of publicPackages) tarballs.set(found.name, await judge(found));
  await install(tarballs);
} finally {
  await rm(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function judge(found) {
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', work, `./${found.folder}`], {
    cwd: root,
  });
  const [packed] = JSON.parse(stdout);
  const tarball = join(work, packed.filename);
  const strays = packed.files
    .map((file) => file.path)
    .filter((path) => /\.(?:test|testing|fixture)\.|\/e2e\/|\.tsbuildinfo$|^src\//.test(path));
  await step(`${found.name}: ${packed.files.length} files, ${Math.ceil(packed.unpackedSize / 1024)} KiB`, () => {
    if (strays.length > 0) throw new Error(`holds files that no user needs: ${strays.join(', ')}`);
    const missing = ['README.md', 'LICENSE', 'dist/index.js'].filter(
      (path) => !packed.files.some((file) => file.path === path),
    );
    if (missing.length > 0) throw new Error(`lacks ${missing.join(', ')}; build first, and copy LICENSE from the root`);
  });
  await step(`${found.name}: the licence is that of the root`, async () => {
    const [own, licence] = await Promise.all(
      [join(root, found.folder), root].map((at) => readFile(join(at, 'LICENSE'), 'utf8')),
    );
    if (own !== licence) throw new Error('copy LICENSE from the root');
  });
  await step(`${found.name}: publint`, () => exec(bin('publint'), ['run', '--strict', tarball]));
  await step(`${found.name}: types (attw)`, () =>
    exec(bin('attw'), ['--profile', 'esm-only', '--no-color', '--no-emoji', tarball]),
  );
  return tarball;
}

/** What of the workspace is needed comes from the tarballs, everything else from the registry. */
async function install(tarballs) {
  const place = join(work, 'install');
  await mkdir(place);
  const overrides = Object.fromEntries([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]));
  const dependencies = Object.fromEntries(installed.map((name) => [name, overrides[name]]));
  await writeFile(join(place, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  const npm = ['install', '--no-audit', '--no-fund', '--omit=dev'];
  await step(`install ${installed.join(' ')}`, () => exec('npm', npm, { cwd: place }));
  const lock = JSON.parse(await readFile(join(place, 'node_modules', '.package-lock.json'), 'utf8').catch(() => '{}'));
  console.log(`        ${Object.keys(lock.packages ?? {}).length} packages in node_modules`);
  const zoneproof = (...args) => exec(join(place, 'node_modules', '.bin', 'zoneproof'), args, { cwd: place });
  await step('zoneproof --version', async () => {
    const { stdout } = await zoneproof('--version');
    const { version } = publicPackages.find((found) => found.name === 'zoneproof').manifest;
    if (!stdout.includes(version)) throw new Error(`said "${stdout.trim()}", not ${version}`);
  });
  await step('zoneproof providers finds rfc2136 and nothing else', async () => {
    const { stdout } = await zoneproof('providers', '-o', 'json');
    if (!stdout.includes('rfc2136') || stdout.includes('acmedns')) throw new Error(`said ${stdout}`);
  });
}

async function step(title, run) {
  try {
    await run();
    console.log(`ok      ${title}`);
  } catch (error) {
    failed++;
    const said = [error.stdout, error.stderr].filter(Boolean).join('\n') || error.message;
    console.log(`PROBLEM ${title}\n  ${said.trimEnd().replaceAll('\n', '\n  ')}`);
  }
}
