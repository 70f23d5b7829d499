import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from '../check/step.mjs';

const run = promisify(execFile);

/**
 * The CRDs with the blocks of all providers of this repository, as the chart has them: they stay when a release is
 * removed, and with them every Issuer and Certificate.
 */
export async function chartCrds() {
  const program = join(root, 'apps', 'controller', 'bin', 'zoneproof.js');
  const { stdout } = await run(process.execPath, [program, 'crds'], { maxBuffer: 64 * 1024 * 1024 });
  const documents = parseAllDocuments(stdout).filter(({ contents }) => contents !== null);
  for (const document of documents) document.setIn(['metadata', 'annotations', 'helm.sh/resource-policy'], 'keep');
  return documents.map((document) => document.toString({ lineWidth: 0, directives: false })).join('---\n');
}
