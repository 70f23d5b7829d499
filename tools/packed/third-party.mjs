import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, step } from '../check/step.mjs';
import { listFiles } from '../check/workspace.mjs';
import { installIn, installInto, pack, zoneproof } from './tarballs.mjs';

const exec = promisify(execFile);
const example = 'examples/third-party-provider';
const name = 'zoneproof-provider-exampledns';

/**
 * The life of a provider that is not part of this repository: built and tested where nothing of the workspace is in
 * reach, packed, installed beside the packed `zoneproof`, and used by it. Then once more with an older copy of core.
 */
export async function checkThirdParty(work, tarballs) {
  const source = join(work, 'stranger');
  const place = join(work, 'with-stranger');
  let packed;
  await step('a third-party provider: npm install of its own', () => prepare(source, tarballs));
  await step('it builds, and its conformance run passes', async () => {
    const { stderr } = await exec('npm', ['test', '--silent'], { cwd: source });
    return /^Tests: +(.+)$/m.exec(stderr)?.[1];
  });
  await step('npm pack, and install beside zoneproof', async () => {
    packed = await pack(source, work);
    const strays = packed.files.filter((path) => /\.test\.|\/testing\//.test(path));
    if (strays.length > 0) throw new Error(`holds files that no user needs: ${strays.join(', ')}`);
    await installInto(place, ['zoneproof', name], new Map([...tarballs, [name, packed.tarball]]));
  });
  await step('zoneproof providers finds it', () => finds(place));
  await step('zoneproof validate takes the Issuer of its README', () => validates(place));
  await step('zoneproof run --once issues a certificate with it', () => issues(place, source));
  await step('the same with an older copy of core of its own', async () => {
    const version = await nestOlderCore(place, tarballs, work);
    await finds(place);
    return `${await issues(place, source)}, core ${version} in it`;
  });
}

async function prepare(source, tarballs) {
  for (const path of listFiles(root).filter((one) => one.startsWith(`${example}/`)))
    await cp(join(root, path), join(source, path.slice(example.length)));
  await installIn(source, tarballs);
}

async function finds(place) {
  const said = await zoneproof(place, 'providers', 'exampledns', '-o', 'json');
  const [found] = JSON.parse(said).providers;
  if (found?.package !== name || found.problem !== undefined) throw new Error(`said ${said}`);
}

async function validates(place) {
  const readme = await readFile(join(place, 'node_modules', name, 'README.md'), 'utf8');
  const [, issuer] = /<!-- issuer -->\n```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
  await writeFile(join(place, 'issuer.yaml'), issuer);
  await mkdir(join(place, 'secrets', 'exampledns'), { recursive: true });
  await writeFile(join(place, 'secrets', 'exampledns', 'token'), 'a-token');
  await zoneproof(place, 'validate', 'issuer.yaml', '--secrets', 'secrets');
}

/** In a process of its own, so that everything it imports is what is installed there. */
async function issues(place, source) {
  await cp(new URL('issue.mjs', import.meta.url), join(place, 'issue.mjs'));
  const { stdout } = await exec(process.execPath, ['issue.mjs', join(source, 'dist', 'testing', 'service.js')], {
    cwd: place,
    timeout: 60_000,
  });
  return stdout.trim();
}

/** As npm does it when a provider asks for a core that the one of zoneproof does not satisfy. */
async function nestOlderCore(place, tarballs, work) {
  const folder = join(place, 'node_modules', name, 'node_modules', '@zoneproof', 'core');
  await mkdir(folder, { recursive: true });
  await exec('tar', ['-xzf', tarballs.get('@zoneproof/core'), '--strip-components=1', '-C', folder], { cwd: work });
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const version = '0.0.1';
  await writeFile(file, JSON.stringify({ ...manifest, version }));
  return version;
}

/** A new package outside of the workspace builds there, and is told what it lacks. */
export async function checkNewPackage(work, tarballs) {
  const folder = join(work, 'new');
  await step('npm run new:provider -- otherdns --dir DIR', () =>
    exec('npm', ['run', '--silent', 'new:provider', '--', 'otherdns', '--dir', folder], { cwd: root }),
  );
  await step('it builds there, and its conformance run says what is missing', async () => {
    await installIn(folder, tarballs);
    await exec('npm', ['run', '--silent', 'build'], { cwd: folder });
    const said = await exec('npm', ['test', '--silent'], { cwd: folder }).then(
      () => '',
      ({ stderr }) => stderr,
    );
    const missing = said.match(/✕ [A-Z]\d+.*: /g) ?? [];
    if (missing.length < 10 || /^\s*(?:Type|Reference|Syntax)Error/m.test(said)) throw new Error(said);
    return `${missing.length} promises`;
  });
}
