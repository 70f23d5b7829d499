import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TsigKey } from '@zoneproof/dns';
import type { NameServer, NameServerOptions } from './bind.ts';
import { freePort } from './ports.ts';
import { startServer } from './process.ts';
import { tool } from './tools.ts';
import { algorithmWord, answersFor, secretBase64, zoneFile } from './zone-file.ts';

/** Knot DNS: authoritative, with dynamic updates. */
export async function startKnot(options: NameServerOptions): Promise<NameServer> {
  const address = options.address ?? '127.0.0.1';
  let port = 0;
  const server = await startServer('knot', async (directory) => {
    port = options.port ?? (await freePort(address));
    await mkdir(join(directory, 'db'));
    for (const [index, zone] of options.zones.entries())
      await writeFile(join(directory, `${index}.zone`), zoneFile(zone, address));
    const config = join(directory, 'knot.conf');
    await writeFile(config, knotConf(options, directory, address, port), { mode: 0o600 });
    return {
      command: tool('knotd'),
      args: ['-c', config],
      ready: () => answersFor(options.zones, address, port),
    };
  });
  return { ...server, address, port };
}

function knotConf(options: NameServerOptions, directory: string, address: string, port: number): string {
  const keys = new Map((options.keys ?? []).map((key) => [key.name, key]));
  for (const zone of options.zones) for (const key of zone.keys ?? []) keys.set(key.name, key);
  const acls = options.zones.map((zone, index) =>
    zoneAcls(index, zone.keys ?? options.keys ?? [], zone.updateFrom ?? []),
  );
  return [
    'server:',
    `  rundir: "${directory}"`,
    `  listen: "${address}@${port}"`,
    '  udp-workers: 1',
    '  tcp-workers: 1',
    '  background-workers: 1',
    'database:',
    `  storage: "${join(directory, 'db')}"`,
    '  journal-db-max-size: 16M',
    'log:',
    '  - target: stderr',
    '    any: info',
    section('key', [...keys.values()].map(keyItem)),
    section(
      'acl',
      acls.flatMap((acl) => acl.items),
    ),
    section(
      'zone',
      options.zones.map((zone, index) =>
        [
          `  - domain: "${zone.name}"`,
          `    file: "${join(directory, `${index}.zone`)}"`,
          ...(acls[index]?.ids.length ? [`    acl: [${acls[index].ids.join(', ')}]`] : []),
        ].join('\n'),
      ),
    ),
    '',
  ].join('\n');
}

function section(name: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${name}:\n${items.join('\n')}`;
}

function keyItem(key: TsigKey): string {
  return `  - id: "${key.name}"\n    algorithm: ${algorithmWord(key)}\n    secret: "${secretBase64(key)}"`;
}

/** An ACL with keys and addresses asks for both: each gets one of its own. */
function zoneAcls(index: number, keys: readonly TsigKey[], addresses: readonly string[]) {
  const items: string[] = [];
  const ids: string[] = [];
  const add = (id: string, line: string) => {
    ids.push(id);
    items.push(`  - id: ${id}\n    ${line}\n    action: update`);
  };
  if (keys.length > 0) add(`keys${index}`, `key: [${keys.map((key) => `"${key.name}"`).join(', ')}]`);
  if (addresses.length > 0) add(`addresses${index}`, `address: [${addresses.map((a) => `"${a}"`).join(', ')}]`);
  return { items, ids };
}
