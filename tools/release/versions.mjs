import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const families = ['packages', 'apps'];

/** Every public package of the workspace at `root`. @returns {Promise<{name: string, folder: string, version: string}[]>} */
export async function readVersions(root) {
  const folders = await Promise.all(
    families.map(async (family) => (await readdir(join(root, family))).map((name) => `${family}/${name}`)),
  );
  const found = await Promise.all(
    folders.flat().map(async (folder) => {
      const text = await readFile(join(root, folder, 'package.json'), 'utf8').catch(() => undefined);
      const manifest = text === undefined ? { private: true } : JSON.parse(text);
      return manifest.private ? undefined : { name: manifest.name, folder, version: manifest.version };
    }),
  );
  return found.filter((one) => one !== undefined).sort((a, b) => a.name.localeCompare(b.name));
}

/** Carries out the changesets at `root`: versions, change logs, and what examples ask for. */
export async function applyChangesets(root) {
  const program = join(root, 'node_modules', '@changesets', 'cli', 'bin.js');
  await exec(process.execPath, [program, 'version'], { cwd: root });
  const versions = new Map((await readVersions(root)).map(({ name, version }) => [name, version]));
  for (const example of await readdir(join(root, 'examples')).catch(() => [])) {
    const file = join(root, 'examples', example, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    for (const field of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(manifest[field] ?? {}))
        if (versions.has(name)) manifest[field][name] = `^${versions.get(name)}`;
    await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
}

/** `name  0.1.0 -> 0.2.0`, a line for each package that changes. */
export function versionTable(before, after) {
  const old = new Map(before.map(({ name, version }) => [name, version]));
  const rows = after.map(({ name, version }) => [name, old.get(name) ?? 'new', version]);
  const width = (column) => Math.max(...rows.map((row) => row[column].length));
  return rows
    .map(
      ([name, from, to]) => `${name.padEnd(width(0))}  ${from.padEnd(width(1))}  ${from === to ? 'stays' : `-> ${to}`}`,
    )
    .join('\n');
}
