// Puts the cases of the self check to lego's own check, beside zoneproof's, and writes docs/self-check-beside-lego.md.
// Takes about six minutes, lego, pebble, and user namespaces (unshare of util-linux, ip of iproute2). Words as arguments
// choose cases by their titles, and the table is printed instead of written.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { requireReal, tool } from '../../tools.ts';
import type { BesideRow } from './inside.ts';
import { besideDocument } from './table.ts';

const run = promisify(execFile);
const only = process.argv.slice(2).join(' ');

if (!requireReal('lego', 'pebble')) throw new Error('run tools/install-real-servers.sh first');
// As root of a user namespace, which may do in its own network what root may do in ours.
const namespace = ['--map-root-user', '--net', '--mount', '--kill-child'];
await run(tool('unshare'), [...namespace, tool('ip'), 'link']).catch((error: Error) => {
  throw new Error(`this machine gives no network of its own to us (user namespaces): ${error.message}`);
});
const directory = await mkdtemp(join(tmpdir(), 'zoneproof-beside-'));
try {
  const inside = fileURLToPath(new URL('inside.js', import.meta.url));
  const child = spawn(tool('unshare'), [...namespace, process.execPath, inside, directory, only], { stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the cases ended with exit code ${code}`);
  const rows = JSON.parse(await readFile(join(directory, 'rows.json'), 'utf8')) as BesideRow[];
  const { stdout } = await run('dpkg-query', ['--show', 'lego']);
  const version = stdout
    .trim()
    .replace(/^.*\s/, '')
    .replace(/-[^-]*$/, '');
  const text = besideDocument(rows, version, new Date().toISOString().slice(0, 10));
  if (only !== '') process.stdout.write(text);
  else await writeFile(new URL('../../../../../docs/self-check-beside-lego.md', import.meta.url), text);
} finally {
  await rm(directory, { recursive: true, force: true });
}
