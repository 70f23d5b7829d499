import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{name: string, folder: string, manifest: Record<string, any>, files: {path: string, test: boolean, text: string}[]}} Package
 */

/** Every file that git tracks or would track, relative to `root`. */
export function listFiles(root) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

/** The workspace's packages with their TypeScript sources. @returns {Package[]} */
export function readPackages(root, files = listFiles(root)) {
  return readFrom(root, files, /^(?:packages\/[^/]+|apps\/[^/]+|tools\/[^/]+|bench)\/package\.json$/);
}

/** Packages that only show something: no members of the workspace, never published. @returns {Package[]} */
export function readExamples(root, files = listFiles(root)) {
  return readFrom(root, files, /^examples\/[^/]+\/package\.json$/);
}

function readFrom(root, files, pattern) {
  return files
    .filter((path) => pattern.test(path))
    .map((path) => {
      const folder = path.slice(0, -'/package.json'.length);
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
      return {
        name: manifest.name,
        folder,
        manifest,
        files: files
          .filter((file) => file.startsWith(`${folder}/src/`) && file.endsWith('.ts'))
          .map((file) => ({
            path: file,
            test: isTest(file),
            text: readFileSync(join(root, file), 'utf8'),
          })),
      };
    });
}

/** What a source text imports or re-exports, types included, in any of the ways ESM has. @returns {string[]} */
export function importsOf(text) {
  const code = text.replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*|\*.*)$/gm, '');
  const pattern =
    /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]|\b(?:import|import\.meta\.resolve|require|require\.resolve)\(\s*['"]([^'"]+)['"]\s*[,)]/gm;
  return [...code.matchAll(pattern)].map((match) => match[1] ?? match[2]);
}

/** `@zoneproof/core/x` -> `@zoneproof/core`; undefined for relative paths and Node's own modules. */
export function packageOf(specifier) {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Tests, and the files that only tests import: `*.test.ts`, `*.testing.ts`, `*.fixture.ts`, folders `test`, `testing` and `e2e`. */
function isTest(path) {
  return /\.(?:test|testing|fixture)\.ts$|\/(?:test|testing|e2e)\//.test(path);
}
