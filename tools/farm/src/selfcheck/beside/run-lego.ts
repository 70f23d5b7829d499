import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatServer, toDnsName } from '@zoneproof/dns';
import type { Pebble } from '../../pebble.ts';
import { fastTime, type ScriptedResolver, scriptedNetwork } from '../../scripted/index.ts';
import { tool } from '../../tools.ts';
import type { SelfCheckCase } from '../case.ts';
import { type CaseWorld, caseWorld, type Published, resolverAddress } from '../world.ts';

/** What lego's own check made of a case. */
export interface LegoResult {
  /** It handed the challenge to the CA. */
  readonly passes: boolean;
  /** From the value's publication to that, in seconds; undefined where it wrote none. */
  readonly seconds: number | undefined;
  /** Its last word, in one line. */
  readonly says: string;
  /** Where it wrote the value. */
  readonly wrote: string | undefined;
  /** Types of the denials of the challenge's name that it planted in a resolver. */
  readonly plantedDenials: readonly string[];
}

/** How lego is run in all cases. */
export interface LegoGround {
  readonly pebble: Pebble;
  /** A folder with an account. */
  readonly account: string;
  /** Where the system's resolvers stand. */
  readonly resolvConf: string;
}

/** How long lego waits for a value: beyond the instant from which it can be seen everywhere. */
export function lasts({ notBeforeMs = 0 }: SelfCheckCase): number {
  return Math.ceil(notBeforeMs / 1000) + 6;
}

/** Servers at their true addresses and port 53: needs a network of its own. */
export async function runLego(one: SelfCheckCase, ground: LegoGround): Promise<LegoResult> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-lego-'));
  const time = fastTime(1);
  const net = scriptedNetwork({ place: (address) => ({ address, port: 53 }), now: time.now });
  const published = join(directory, 'published');
  const { domain = 'www.example.com' } = one;
  const world = caseWorld({ net, now: time.now, timers: time, domain, published: () => readPublished(published) });
  try {
    await net.resolve(resolverAddress);
    await one.set(world);
    writeFileSync(ground.resolvConf, resolvConfOf(world));
    await cp(ground.account, join(directory, 'lego'), { recursive: true });
    const { validatedAt, endedAt, output } = await lego(
      domain,
      directory,
      world.listed.map(formatServer),
      ground.pebble,
      lasts(one),
    );
    const written = readPublished(published);
    return {
      passes: validatedAt !== undefined,
      seconds: written === undefined ? undefined : ((validatedAt ?? endedAt) - written.at) / 1000,
      says: lastWord(output),
      wrote: written?.name,
      plantedDenials: net.servers.flatMap(({ denials = [] }: Partial<ScriptedResolver>) =>
        denials.filter(({ name }) => world.guarded.has(name)).map(({ type }) => type),
      ),
    };
  } finally {
    await world.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** An account is made by the first certificate: lego has no command for it. */
export async function makeLegoAccount(pebble: Pebble, directory: string): Promise<string> {
  const { output } = await lego('account.example.com', directory, ['192.0.2.53:53'], pebble, 8, ['--dns.disable-cp']);
  if (!output.includes('Server responded with a certificate')) throw new Error(`lego made no account:\n${output}`);
  return join(directory, 'lego');
}

interface LegoRun {
  /** When the CA took the challenge, epoch milliseconds; undefined: never. */
  readonly validatedAt: number | undefined;
  readonly endedAt: number;
  readonly output: string;
}

function lego(
  domain: string,
  directory: string,
  resolvers: readonly string[],
  pebble: Pebble,
  timeoutS: number,
  more: readonly string[] = [],
): Promise<LegoRun> {
  const hook = join(directory, 'hook.sh');
  const published = join(directory, 'published');
  // It gets what to do, the name and the value.
  const script = `#!/bin/sh\nif [ "$1" = present ]; then echo "$2 $3" >'${published}.new'; mv '${published}.new' '${published}'; fi\n`;
  writeFileSync(hook, script, { mode: 0o755 });
  const args = [
    ...['--server', pebble.directoryUrl, '--email', 'cases@example.com', '--accept-tos'],
    ...['--path', join(directory, 'lego'), '--dns', 'exec', '--dns-timeout', '2', ...more],
    ...resolvers.flatMap((server) => ['--dns.resolvers', server]),
    ...['--key-type', 'ec256', '--domains', domain, 'run'],
  ];
  const env = {
    PATH: process.env.PATH ?? '',
    LEGO_CA_CERTIFICATES: pebble.rootFile,
    EXEC_PATH: hook,
    EXEC_PROPAGATION_TIMEOUT: String(timeoutS),
    EXEC_POLLING_INTERVAL: '1',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(tool('lego'), args, {
      cwd: directory,
      env,
      timeout: 120_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let validatedAt: number | undefined;
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('The server validated our request')) validatedAt ??= Date.now();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => resolve({ validatedAt, endedAt: Date.now(), output }));
  });
}

/** Why it gave up, without what every such message of it has. */
function lastWord(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const error =
    lines.findLast((line) => /error|could not|problem/i.test(line)) ?? lines.findLast((line) => line !== '') ?? '';
  const [, reason = error] = /last error: (.*)/.exec(error) ?? /^\[[^\]]+\] \[[^\]]+\] (.*)/.exec(error) ?? [];
  return reason.replace(/^\d{4}\/\S+ \S+ /, '').replaceAll(/:\d{5}(?=->)/g, '');
}

function readPublished(file: string): Published | undefined {
  try {
    const [name = '', value = ''] = readFileSync(file, 'utf8').trim().split(' ');
    return { values: [value], at: statSync(file).mtimeMs, name: toDnsName(name) };
  } catch {
    return undefined;
  }
}

function resolvConfOf({ listed }: CaseWorld): string {
  return listed.map((server) => `nameserver ${server.kind === undefined ? server.address : ''}\n`).join('');
}
