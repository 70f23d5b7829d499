// `npm run bundle [-- --providers rfc2136,routedns] [--out DIR]`: the tree that a container image copies, ready to run as
// `node DIR/node_modules/zoneproof/bin/zoneproof.js`. Without --providers it holds every provider of this repository.
// Needs `npm ci` and `npm run build` first.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../check/step.mjs';
import { providersOf } from './providers.mjs';
import { makeTree } from './tree.mjs';

try {
  const { values } = parseArgs({ options: { providers: { type: 'string' }, out: { type: 'string' } } });
  const providers = providersOf(root, values.providers);
  const out = resolve(values.out ?? join(root, 'dist', 'bundle'));
  // Only the place that is ours is emptied.
  if (values.out === undefined) await rm(out, { recursive: true, force: true });
  const { packages, files, bytes } = await makeTree(
    root,
    out,
    providers.map(({ name }) => name),
  );
  console.log(`${out}: ${providers.map(({ key }) => key).join(', ')}`);
  console.log(`${packages} packages, ${files} files, ${(bytes / 1024 / 1024).toFixed(1)} MiB`);
} catch (error) {
  console.error(`bundle: ${error.message}`);
  process.exitCode = 1;
}
