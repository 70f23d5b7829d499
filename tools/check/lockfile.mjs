// `npm ci` refuses a lock file that lacks an optional package of another platform, and npm leaves such a package out
// when its registry (a mirror, say) does not have it. `node tools/check/lockfile.mjs` puts the missing ones in; a
// machine that needs one then looks it up by its exact version.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @returns {{path: string, name: string, version: string, dev: boolean}[]} optional packages without an entry */
export function missingOptionals(lock) {
  return Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => placesOf(path, name).every((place) => lock.packages[place] === undefined))
      .map(([name, version]) => ({ path: `node_modules/${name}`, name, version, dev: entry.dev === true })),
  );
}

/** `@swc/core-linux-x64-musl` -> the platform fields of its package.json, as far as its name tells them. */
export function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const last = (known) => words.findLast((word) => word in known);
  const os = last(systems);
  const cpu = last(processors);
  const libc = words.some((word) => /^musl/.test(word))
    ? 'musl'
    : words.some((word) => /^gnu/.test(word))
      ? 'glibc'
      : '';
  return {
    ...(cpu && { cpu: [processors[cpu]] }),
    ...(libc && systems[os] === 'linux' && { libc: [libc] }),
    ...(os && { os: [systems[os]] }),
  };
}

const systems = {
  aix: 'aix',
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
  windows: 'win32',
};

const processors = {
  64: 'x64',
  x64: 'x64',
  arm64: 'arm64',
  arm: 'arm',
  ia32: 'ia32',
  loong64: 'loong64',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
};

function placesOf(path, name) {
  const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
  return path === '' ? places.slice(1) : places;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(process.cwd(), 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingOptionals(lock);
  for (const { path, name, version, dev } of missing) {
    const { cpu, ...rest } = platformOf(name);
    lock.packages[path] = { version, ...(cpu && { cpu }), ...(dev && { dev }), optional: true, ...rest };
  }
  const [root, ...others] = Object.entries(lock.packages);
  others.sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries([root, ...others]);
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
  console.log(`package-lock.json: ${missing.length} optional packages added`);
}
