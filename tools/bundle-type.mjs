// Puts TypeBox into packages/core/dist/contract/type.js; see packages/core/src/contract/type.ts.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const file = new URL('../packages/core/dist/contract/type.js', import.meta.url).pathname;
// Bundled by an earlier build, and tsc has found nothing to write anew.
if (readFileSync(file, 'utf8').includes("from 'typebox'"))
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
