import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { DnsServer } from '@zoneproof/dns';

/** What a resolver file lists. */
export interface ResolvConf {
  /** In the file's order, port 53, each once, the first three. */
  readonly servers: readonly DnsServer[];
  /** One sentence with the remedy: the file cannot be read, lists no server, or has lines that name no address. */
  readonly problem?: string;
}

/**
 * Reads the `nameserver` lines of a resolver file (resolv.conf(5)): IPv4, IPv6 and scoped IPv6 (`fe80::1%eth0`).
 * Search lists and options are left alone, since every name asked here is absolute. The first three count, as for
 * glibc and musl: whatever stands behind them has never been tried by anything on this machine. Cheap enough to be
 * called at each use, which is how changes of the file are picked up. Never throws.
 */
export function readResolvConf(path = '/etc/resolv.conf'): ResolvConf {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return { servers: [], problem: `${path} cannot be read (${code}); ${remedy}` };
  }
  return parseResolvConf(text, path);
}

/** The same for a text; `path` is for messages. */
export function parseResolvConf(text: string, path = '/etc/resolv.conf'): ResolvConf {
  const addresses = new Set<string>();
  const bad: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    // resolv.conf(5): comments are lines that begin with ; or #, and glibc ignores what follows the address.
    const [keyword, address = ''] = line.trim().split(/\s+/);
    if (keyword !== 'nameserver') continue;
    if (isIP(address) !== 0) addresses.add(address);
    else if (bad.length < maxProblems) bad.push(`line ${index + 1} names no IP address ("${address.slice(0, 60)}")`);
  }
  const servers = [...addresses].slice(0, maxServers).map((address) => ({ address, port: 53 }));
  if (servers.length === 0) bad.push(`it lists no nameserver; ${remedy}`);
  return bad.length === 0 ? { servers } : { servers, problem: `${path}: ${bad.join(', ')}` };
}

/** MAXNS of resolv.h. */
const maxServers = 3;

const maxProblems = 5;

const remedy = 'repair it or set --dns01-self-check-nameservers HOST:PORT,...';
