// tsconfig.json of the root names every package that is built: `node tools/check/references.mjs` writes it anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPackages } from './workspace.mjs';

/** The text of the root's tsconfig.json, from the packages that have one. */
export function referencesText(root) {
  const folders = readPackages(root)
    .map(({ folder }) => folder)
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
    .sort();
  const lines = folders.map((path) => `    { "path": "${path}" }`).join(',\n');
  return `{\n  "files": [],\n  "references": [\n${lines}\n  ]\n}\n`;
}

/** @returns {string[]} problems */
export function referenceProblems(root) {
  if (readFileSync(join(root, 'tsconfig.json'), 'utf8') === referencesText(root)) return [];
  return ['tsconfig.json does not name every package with a tsconfig.json, and no other; npm run generate'];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(process.cwd(), 'tsconfig.json'), referencesText(process.cwd()));
