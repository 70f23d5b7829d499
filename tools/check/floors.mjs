import { posix } from 'node:path';
import { importsOf, packageOf } from './workspace.mjs';

const ofProviders = ['@zoneproof/core', '@zoneproof/dns'];

/** What each package may import of the workspace, tests aside. Providers are known by their marker. */
const mayImport = {
  '@zoneproof/dns': [],
  '@zoneproof/acme': [],
  '@zoneproof/core': ['@zoneproof/dns'],
  '@zoneproof/sandbox': ['@zoneproof/dns'],
  '@zoneproof/provider-testkit': ['@zoneproof/core', '@zoneproof/dns', '@zoneproof/sandbox'],
  zoneproof: ['@zoneproof/core', '@zoneproof/acme', '@zoneproof/dns', '@zoneproof/sandbox'],
  '@zoneproof/farm': ['@zoneproof/core', '@zoneproof/dns'],
  '@zoneproof/bench': [
    '@zoneproof/farm',
    '@zoneproof/core',
    '@zoneproof/dns',
    '@zoneproof/provider-testkit',
    'zoneproof',
  ],
};

/** Packages that judge providers and so must not know one, not even in their tests. */
const knowsNoProvider = ['@zoneproof/provider-testkit', '@zoneproof/sandbox'];

/**
 * A floor imports only the floors below it, and only what a package exports.
 *
 * @param {import('./workspace.mjs').Package[]} packages
 * @returns {string[]} problems
 */
export function floorProblems(packages) {
  const own = new Map(packages.map((found) => [found.name, found]));
  return packages.flatMap((found) => {
    const allowed = isProvider(found) ? ofProviders : mayImport[found.name];
    if (allowed === undefined) return [`${found.folder}: ${found.name} has no floor in tools/check/floors.mjs`];
    return found.files.flatMap((file) =>
      importsOf(file.text).flatMap((specifier) => {
        const outside = leavesPackage(found, file, specifier);
        if (outside) return [`${file.path}: imports ${specifier}, which lies outside its package; import it by name`];
        const target = packageOf(specifier);
        if (target === undefined || !own.has(target) || target === found.name) return [];
        if (!exportsOf(own.get(target)).has(specifier))
          return [`${file.path}: imports ${specifier}, which ${target} does not export`];
        if (knowsNoProvider.includes(found.name) && isProvider(own.get(target)))
          return [`${file.path}: imports ${target}; ${found.name} may know no provider`];
        if (file.test || allowed.includes(target)) return [];
        return [`${file.path}: imports ${target}, which is no floor below ${found.name}`];
      }),
    );
  });
}

function exportsOf({ name, manifest }) {
  return new Set([name, ...Object.keys(manifest.exports ?? {}).map((key) => name + key.slice(1))]);
}

function isProvider({ manifest }) {
  return manifest.zoneproof?.provider !== undefined;
}

function leavesPackage(found, file, specifier) {
  if (!specifier.startsWith('.')) return false;
  const target = posix.normalize(posix.join(posix.dirname(file.path), specifier));
  return !target.startsWith(`${found.folder}/`);
}
