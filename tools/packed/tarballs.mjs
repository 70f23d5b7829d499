import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/**
 * A package as npm publishes it.
 *
 * @returns {Promise<{tarball: string, files: string[], bytes: number}>} `bytes` unpacked
 */
export async function pack(folder, destination) {
  const args = ['pack', '--json', '--pack-destination', destination, folder];
  const { stdout } = await exec('npm', args, { cwd: destination });
  const [packed] = JSON.parse(stdout);
  return {
    tarball: join(destination, packed.filename),
    files: packed.files.map(({ path }) => path),
    bytes: packed.unpackedSize,
  };
}

/**
 * Installs packages into an empty directory, as a user does: those in `tarballs` (name to path) from there wherever they
 * are asked for, everything else from the registry.
 */
export async function installInto(place, names, tarballs) {
  await mkdir(place, { recursive: true });
  const overrides = Object.fromEntries([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]));
  const dependencies = Object.fromEntries(names.map((name) => [name, overrides[name]]));
  await writeFile(
    join(place, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies, overrides }),
  );
  await exec('npm', ['install', '--no-audit', '--no-fund', '--omit=dev'], { cwd: place });
}

/** Installs what the package in `folder` declares, its development included; its package.json stays as it is. */
export async function installIn(folder, tarballs) {
  const file = join(folder, 'package.json');
  const text = await readFile(file, 'utf8');
  const manifest = JSON.parse(text);
  const overrides = Object.fromEntries([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]));
  const fromTarball = (ranges = {}) =>
    Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, overrides[name] ?? range]));
  const { dependencies, devDependencies } = manifest;
  const changed = { dependencies: fromTarball(dependencies), devDependencies: fromTarball(devDependencies), overrides };
  await writeFile(file, JSON.stringify({ ...manifest, ...changed }));
  await exec('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
  await writeFile(file, text);
}

/** The paths of all packages in node_modules. */
export async function installedPackages(place) {
  const lock = JSON.parse(await readFile(join(place, 'node_modules', '.package-lock.json'), 'utf8'));
  return Object.keys(lock.packages);
}

/** Runs the installed `zoneproof`. @returns {Promise<string>} what it prints */
export async function zoneproof(place, ...args) {
  return (await exec(join(place, 'node_modules', '.bin', 'zoneproof'), args, { cwd: place })).stdout;
}
