import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TsigKey } from '@zoneproof/dns';
import { freePort } from './ports.ts';
import { type RunningServer, startServer } from './process.ts';
import { tool } from './tools.ts';
import { algorithmWord, answersFor, type FarmZone, secretBase64, zoneFile } from './zone-file.ts';

const run = promisify(execFile);

export interface NameServerOptions<Z extends FarmZone = FarmZone> {
  readonly zones: readonly Z[];
  readonly keys?: readonly TsigKey[];
  /** A loopback address, 127.0.0.1 when left out. */
  readonly address?: string;
  readonly port?: number;
}

export interface NameServer extends RunningServer {
  readonly address: string;
  readonly port: number;
}

export interface BindZone extends FarmZone {
  /** Body of an `update-policy { ... }` instead of the keys: `grant lego name _acme-challenge.a.test. TXT;`. */
  readonly updatePolicy?: string;
}

export interface Bind extends NameServer {
  /** What named counted since it started. */
  statistics(): Promise<{ readonly updates: number; readonly queries: number }>;
}

/** BIND's named: authoritative only, with dynamic updates. */
export async function startBind(options: NameServerOptions<BindZone>): Promise<Bind> {
  const address = options.address ?? '127.0.0.1';
  let port = 0;
  let statisticsPort = 0;
  const server = await startServer('bind', async (directory) => {
    port = options.port ?? (await freePort(address));
    statisticsPort = await freePort('127.0.0.1');
    for (const [index, zone] of options.zones.entries())
      await writeFile(join(directory, `${index}.zone`), zoneFile(zone, address));
    const config = join(directory, 'named.conf');
    await writeFile(config, namedConf(options, directory, address, port, statisticsPort), { mode: 0o600 });
    // named itself goes on without a zone that it cannot load.
    await run(tool('named-checkconf'), ['-z', config]).catch((error: { readonly stdout?: string }) => {
      throw new Error(`bind: the configuration is refused: ${error.stdout ?? String(error)}`);
    });
    return {
      command: tool('named'),
      args: ['-g', '-n', '1', '-c', config],
      ready: () => answersFor(options.zones, address, port),
    };
  });
  return { ...server, address, port, statistics: () => readStatistics(statisticsPort) };
}

function namedConf(
  options: NameServerOptions<BindZone>,
  directory: string,
  address: string,
  port: number,
  statisticsPort: number,
): string {
  const listen = address.includes(':')
    ? `listen-on { none; }; listen-on-v6 port ${port} { ${address}; };`
    : `listen-on port ${port} { ${address}; }; listen-on-v6 { none; };`;
  const keys = new Map((options.keys ?? []).map((key) => [key.name, key]));
  for (const zone of options.zones) for (const key of zone.keys ?? []) keys.set(key.name, key);
  return `
options {
  directory "${directory}";
  pid-file none; session-keyfile "${join(directory, 'session.key')}"; managed-keys-directory "${directory}";
  ${listen}
  // Pebble does not follow CNAMEs itself: the server has to, between its own zones.
  recursion yes; dnssec-validation no; empty-zones-enable no; notify no; minimal-responses yes;
  tcp-clients 1000; tcp-listen-queue 1000;
};
controls { };
statistics-channels { inet 127.0.0.1 port ${statisticsPort} allow { 127.0.0.1; }; };
logging { category default { default_stderr; }; category lame-servers { null; }; };
${[...keys.values()].map(keyClause).join('\n')}
${options.zones.map((zone, index) => zoneClause(zone, index, options.keys ?? [])).join('\n')}
`;
}

function keyClause(key: TsigKey): string {
  return `key "${key.name}" { algorithm ${algorithmWord(key)}; secret "${secretBase64(key)}"; };`;
}

function zoneClause(zone: BindZone, index: number, serverKeys: readonly TsigKey[]): string {
  const allowed = [
    ...(zone.keys ?? serverKeys).map((key) => `key "${key.name}";`),
    ...(zone.updateFrom ?? []).map((address) => `${address};`),
  ];
  const update =
    zone.updatePolicy === undefined
      ? `allow-update { ${allowed.join(' ') || 'none;'} };`
      : `update-policy { ${zone.updatePolicy} };`;
  return `zone "${zone.name}" { type primary; file "${index}.zone"; ${update} };`;
}

async function readStatistics(port: number): Promise<{ readonly updates: number; readonly queries: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/v1/server`, { signal: AbortSignal.timeout(5000) });
  const { opcodes } = (await answer.json()) as { readonly opcodes: Readonly<Record<string, number>> };
  return { updates: opcodes.UPDATE ?? 0, queries: opcodes.QUERY ?? 0 };
}
