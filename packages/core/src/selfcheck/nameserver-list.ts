import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { DnsNameError, type DnsServer, toDnsName } from '@zoneproof/dns';

/** One entry of `--dns01-self-check-nameservers`: an IP address (IPv6 without brackets) or a host name, and a port. */
export interface NameserverEntry {
  readonly host: string;
  readonly port: number;
}

/** A list of name servers that cannot be used. The message names every entry that is wrong, and its correction. */
export class NameserverListError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'NameserverListError';
    this.problems = problems;
  }
}

/**
 * Reads a comma-separated list: `10.0.0.1:53,ns1.example.com:53,[2001:db8::1]:53`. Repeated entries count once.
 *
 * @throws NameserverListError with all problems at once
 */
export function parseNameserverList(text: string): NameserverEntry[] {
  if (text.trim() === '') throw new NameserverListError(['the list is empty; write host:port,host:port']);
  const entries = new Map<string, NameserverEntry>();
  const problems: string[] = [];
  for (const item of text.split(',').map((part) => part.trim())) {
    const entry = parseEntry(item);
    if (typeof entry === 'string') problems.push(item === '' ? entry : `"${item.slice(0, 80)}": ${entry}`);
    else entries.set(`${entry.host} ${entry.port}`, entry);
  }
  if (problems.length > 0) throw new NameserverListError(problems);
  return [...entries.values()];
}

/** Every address of a host name, by the system's own means. */
export type LookupHost = (host: string) => Promise<readonly string[]>;

/**
 * Turns entries into addresses; host names are looked up anew at each call, so changes are picked up.
 *
 * @throws NameserverListError when not one entry has an address
 */
export async function resolveNameservers(
  entries: readonly NameserverEntry[],
  lookupHost: LookupHost = systemLookup,
): Promise<DnsServer[]> {
  const problems: string[] = [];
  const found = await Promise.all(
    entries.map(async ({ host, port }) => {
      if (isIP(host) !== 0) return [{ address: host, port }];
      try {
        return (await lookupHost(host)).map((address) => ({ address, port }));
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'failed';
        problems.push(`${host}:${port}: the host name cannot be looked up (${code}); write its IP address instead`);
        return [];
      }
    }),
  );
  const servers = found.flat();
  if (servers.length === 0) throw new NameserverListError(problems.length > 0 ? problems : ['the list is empty']);
  return servers;
}

function parseEntry(item: string): NameserverEntry | string {
  if (item === '') return 'an entry is empty: remove the extra comma';
  if (item.includes('://')) return 'only host:port entries are understood';
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(item);
  if (bracketed) {
    const [, host = '', port] = bracketed;
    if (isIP(host) !== 6) return `"${host}" is not an IPv6 address`;
    return withPort(host, port, `[${host}]`);
  }
  if (isIP(item) === 6) return `the port is missing: write [${item}]:53`;
  const parts = item.split(':');
  if (parts.length > 2) {
    const last = item.lastIndexOf(':');
    const host = item.slice(0, last);
    return isIP(host) === 6
      ? `an IPv6 address needs brackets: write [${host}]:${item.slice(last + 1)}`
      : 'it is not of the form host:port';
  }
  const [host = '', port] = parts;
  if (host === '') return `the host is missing: write 127.0.0.1:${port || 53} for this machine`;
  if (isIP(host) === 4) return withPort(host, port, host);
  if (/^[\d.]+$/.test(host)) return `"${host}" is not an IPv4 address`;
  try {
    const name = toDnsName(host);
    return withPort(name, port, name);
  } catch (error) {
    return error instanceof DnsNameError
      ? `"${host}" is neither an IP address nor a host name: ${error.rule}`
      : 'bad host';
  }
}

function withPort(host: string, port: string | undefined, shown: string): NameserverEntry | string {
  if (port === undefined || port === '') return `the port is missing: write ${shown}:53`;
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65535) return `"${port}" is not a port (1 to 65535): write ${shown}:53`;
  return { host, port: number };
}

async function systemLookup(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
