import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, step } from '../check/step.mjs';
import { pack } from './tarballs.mjs';

const exec = promisify(execFile);
const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Packs one package and looks at it with publint, attw and our own rules. @returns {Promise<string>} its tarball */
export async function judge(found, work) {
  const { tarball, files, bytes } = await pack(join(root, found.folder), work);
  await step(`${found.name}: ${files.length} files, ${Math.ceil(bytes / 1024)} KiB`, () => {
    const strays = files.filter((path) =>
      /\.(?:test|testing|fixture)\.|\/(?:e2e|docs)\/|\.tsbuildinfo$|^src\//.test(path),
    );
    if (strays.length > 0) throw new Error(`holds files that no user needs: ${strays.join(', ')}`);
    const entries = Object.values(found.manifest.exports).flatMap(({ types, default: code }) => [types, code]);
    const wanted = ['README.md', 'LICENSE', ...entries.map((path) => path.replace('./', ''))];
    const missing = wanted.filter((path) => !files.includes(path));
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
