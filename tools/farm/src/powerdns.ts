import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NameServer, NameServerOptions } from './bind.ts';
import { freePort } from './ports.ts';
import { startServer } from './process.ts';
import { tool } from './tools.ts';
import { algorithmWord, answersFor, secretBase64, zoneFile } from './zone-file.ts';

const run = promisify(execFile);

/** Where Debian's pdns-backend-sqlite3 keeps the tables of its database. */
const schemaFile = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';

/** PowerDNS Authoritative Server on SQLite, with dynamic updates. */
export async function startPowerdns(options: NameServerOptions): Promise<NameServer> {
  const address = options.address ?? '127.0.0.1';
  let port = 0;
  const server = await startServer('powerdns', async (directory) => {
    port = options.port ?? (await freePort(address));
    await writeFile(join(directory, 'pdns.conf'), pdnsConf(directory, address, port));
    await run(tool('sqlite3'), [join(directory, 'pdns.sqlite3'), `.read ${schemaFile}`]);
    await fillZones(options, directory, address);
    return {
      command: tool('pdns_server'),
      args: [`--config-dir=${directory}`],
      ready: () => answersFor(options.zones, address, port),
    };
  });
  return { ...server, address, port };
}

function pdnsConf(directory: string, address: string, port: number): string {
  return `
launch=gsqlite3
gsqlite3-database=${join(directory, 'pdns.sqlite3')}
gsqlite3-pragma-synchronous=0
local-address=${address}
local-port=${port}
socket-dir=${directory}
daemon=no
guardian=no
write-pid=no
disable-syslog=yes
loglevel=4
dnsupdate=yes
allow-dnsupdate-from=
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
zone-metadata-cache-ttl=0
receiver-threads=1
distributor-threads=1
`;
}

async function fillZones(options: NameServerOptions, directory: string, address: string): Promise<void> {
  const pdnsutil = (...args: readonly string[]) => run(tool('pdnsutil'), [`--config-dir=${directory}`, ...args]);
  const known = new Set<string>();
  for (const [index, zone] of options.zones.entries()) {
    const file = join(directory, `${index}.zone`);
    await writeFile(file, zoneFile(zone, address));
    await pdnsutil('load-zone', zone.name, file);
    const keys = zone.keys ?? options.keys ?? [];
    for (const key of keys) {
      if (!known.has(key.name)) await pdnsutil('import-tsig-key', key.name, algorithmWord(key), secretBase64(key));
      known.add(key.name);
    }
    // TSIG-ALLOW-DNSUPDATE alone decides when it is set; the addresses decide first.
    if (keys.length > 0) await pdnsutil('set-meta', zone.name, 'TSIG-ALLOW-DNSUPDATE', ...keys.map((key) => key.name));
    const from = keys.length > 0 ? [address.includes(':') ? '::1/128' : '127.0.0.0/8'] : (zone.updateFrom ?? []);
    if (from.length > 0) await pdnsutil('set-meta', zone.name, 'ALLOW-DNSUPDATE-FROM', ...from);
  }
}
