import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * What the code of a tree imports by name and does not find there: follows the program, and every provider, through all
 * that they import.
 *
 * @returns {Promise<string[]>} a line for each
 */
export async function missingImports(tree) {
  const scope = join(tree, 'node_modules', '@zoneproof');
  const plugins = (await readdir(scope)).filter((name) => name.startsWith('provider-'));
  const entryPoints = await Promise.all(
    [join(tree, 'node_modules', 'zoneproof'), ...plugins.map((name) => join(scope, name))].map(mainOf),
  );
  const result = await build({
    entryPoints: [...entryPoints, join(tree, 'node_modules', 'zoneproof', 'bin', 'zoneproof.js')],
    absWorkingDir: tree,
    bundle: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    logLevel: 'silent',
    write: false,
    outdir: join(tree, 'never-written'),
    // An import that its package guards with try is a warning and no error: `ws` does without bufferutil.
  }).catch((error) => error);
  return (result.errors ?? []).map(({ text, location }) => `${location?.file}:${location?.line}: ${text}`);
}

async function mainOf(folder) {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return join(folder, exports['.'].default);
}
