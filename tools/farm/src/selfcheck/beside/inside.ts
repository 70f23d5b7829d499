// Run by beside-lego.ts in a network of its own, as root there: every case, by zoneproof and by lego.
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPebble } from '../../pebble.ts';
import { scriptedNetwork } from '../../scripted/index.ts';
import type { SelfCheckCase } from '../case.ts';
import { selfCheckCases } from '../cases.ts';
import { type CaseResult, runCase } from '../run-case.ts';
import { type LegoResult, makeLegoAccount, runLego } from './run-lego.ts';

/** One case, judged twice. */
export interface BesideRow {
  readonly title: string;
  readonly zoneproof: CaseResult;
  readonly lego: LegoResult;
}

const run = promisify(execFile);
const [, , directory = '', only = ''] = process.argv;

await ownNetwork();
const resolvConf = join(directory, 'resolv.conf');
await writeFile(resolvConf, '');
await run('mount', ['--bind', resolvConf, '/etc/resolv.conf']);
const pebble = await startPebble({ dns: '192.0.2.53:53', alwaysValid: true });
try {
  const account = await accountOf();
  const rows: BesideRow[] = [];
  for (const [, cases] of selfCheckCases)
    for (const one of cases.filter(isForLego)) {
      process.stderr.write(`${one.title}\n`);
      const ground = { pebble, account, resolvConf };
      const [zoneproof, lego] = await Promise.all([runCase(one, { inRealTime: true }), runLego(one, ground)]);
      rows.push({ title: one.title, zoneproof, lego });
    }
  await writeFile(join(directory, 'rows.json'), JSON.stringify(rows));
} finally {
  await pebble.stop();
}

function isForLego({ notForLego, title }: SelfCheckCase): boolean {
  return notForLego === undefined && title.includes(only);
}

/** Addresses of the cases on loopback. Nothing leads out of here. */
async function ownNetwork(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up']);
  for (const net of ['192.0.2.1/24', '198.51.100.1/24', '203.0.113.1/24', '10.0.0.1/24'])
    await run('ip', ['address', 'add', net, 'dev', 'lo']);
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::53'])
    await run('ip', ['address', 'add', `${address}/128`, 'dev', 'lo', 'nodad']);
}

async function accountOf(): Promise<string> {
  const net = scriptedNetwork({ place: (address) => ({ address, port: 53 }), now: Date.now });
  try {
    await net.resolve('192.0.2.53');
    return await makeLegoAccount(pebble, await mkdtemp(join(directory, 'account-')));
  } finally {
    await net.close();
  }
}
