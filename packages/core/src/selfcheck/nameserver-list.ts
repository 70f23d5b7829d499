import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AnyDnsServer, DnsNameError, type EncryptedServer, toDnsName } from '@zoneproof/dns';

/** A server asked over UDP and TCP: an IP address (IPv6 without brackets) or a host name, and a port. */
export interface PlainEntry {
  readonly kind: 'plain';
  readonly host: string;
  readonly port: number;
}

/** One entry of `--dns01-self-check-nameservers`: `host:port`, `tls://host[:853]` or `https://host/path`. */
export type NameserverEntry = PlainEntry | EncryptedServer;

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
 * Reads a comma-separated list: `10.0.0.1:53,[2001:db8::1]:53,ns1.example.com:53,tls://dns.example.com,
 * https://dns.example.com/dns-query`. Repeated entries count once.
 *
 * @throws NameserverListError with all problems at once
 */
export function parseNameserverList(text: string): NameserverEntry[] {
  if (text.trim() === '')
    throw new NameserverListError(['the list is empty; write host:port, tls://host or https://host/path, by commas']);
  const entries = new Map<string, NameserverEntry>();
  const problems: string[] = [];
  for (const item of text.split(',').map((part) => part.trim())) {
    const entry = parseEntry(item);
    if (typeof entry === 'string') problems.push(item === '' ? entry : `"${shownEntry(item)}": ${entry}`);
    else entries.set(Object.values(entry).join(' '), entry);
  }
  if (problems.length > 0) throw new NameserverListError(problems);
  return [...entries.values()];
}

/** Every address of a host name, by the system's own means. */
export type LookupHost = (host: string) => Promise<readonly string[]>;

/**
 * Turns entries into servers. Host names of plain ones are looked up anew at each call, so changes are picked up; an
 * encrypted one keeps its name, which is looked up where it is connected to and which its certificate has to have.
 *
 * @throws NameserverListError when not one entry is of use
 */
export async function resolveNameservers(
  entries: readonly NameserverEntry[],
  lookupHost: LookupHost = systemLookup,
): Promise<AnyDnsServer[]> {
  const problems: string[] = [];
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly AnyDnsServer[]> => {
      if (entry.kind !== 'plain') return [entry];
      const { host, port } = entry;
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
  if (item.length > maxEntry) return `it is longer than the ${maxEntry} characters that are read`;
  if (/[\s\p{C}]/u.test(item)) return 'it holds a space or a character that cannot be printed';
  if (item.includes('@')) return `a user or password is not understood: write ${shownEntry(item)}`;
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(item) ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
      return parsePlain(item);
    case 'tls':
      return parseTls(rest);
    case 'https':
      return parseHttps(rest);
    case 'http':
      return `DNS over HTTP has to be encrypted: write https://${rest}`;
    case 'udp':
    case 'tcp':
    case 'dns':
      return `plain DNS has no scheme, and is asked over UDP and TCP: write ${rest}`;
    default:
      return `"${scheme}" is not understood: write host:port, tls://host or https://host/path`;
  }
}

function parsePlain(item: string): PlainEntry | string {
  const place = parsePlace(item, 53);
  if (typeof place === 'string') return place;
  const { host, port, shown } = place;
  return port === undefined ? `the port is missing: write ${shown}:53` : { kind: 'plain', host, port };
}

function parseTls(rest: string): NameserverEntry | string {
  const [place = '', ...path] = rest.split(/[/?#]/);
  if (path.some((part) => part !== '')) return `a resolver over TLS has no path: write tls://${place}`;
  const parsed = parsePlace(place, 853, 'tls://');
  if (typeof parsed === 'string') return parsed;
  return { kind: 'tls', host: parsed.host, port: parsed.port ?? 853 };
}

function parseHttps(rest: string): NameserverEntry | string {
  const [place = ''] = rest.split(/[/?#]/);
  const parsed = parsePlace(place, 443, 'https://');
  if (typeof parsed === 'string') return parsed;
  const { shown, port } = parsed;
  const origin = `https://${shown}${port === undefined || port === 443 ? '' : `:${port}`}`;
  // RFC 8484 4.1.1 writes it into the template of GET.
  const path = rest.slice(place.length).replace(/\{[?&]dns\}$/, '');
  if (path === '' || path === '/')
    return `the path is missing: write ${origin}/dns-query, or what the resolver documents`;
  if (/[?#{}\s]/.test(path))
    return `behind the path nothing is understood: write ${origin}${path.replace(/[?#{}\s].*$/s, '')}`;
  if (!URL.canParse(`${origin}${path}`)) return `it is not of the form ${origin}/dns-query`;
  const { href } = new URL(`${origin}${path}`);
  return { kind: 'https', url: href };
}

interface Place {
  readonly host: string;
  readonly port: number | undefined;
  /** The host with brackets where it needs them. */
  readonly shown: string;
}

/** `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; `usual` and `prefix` are for the corrections. */
function parsePlace(text: string, usual: number, prefix = ''): Place | string {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(text);
  if (bracketed) {
    const [, host = '', port] = bracketed;
    if (isIP(host) !== 6) return `"${host}" is not an IPv6 address`;
    return withPort(host, port, `[${host}]`, usual, prefix);
  }
  if (isIP(text) === 6)
    return prefix === ''
      ? `the port is missing: write [${text}]:${usual}`
      : `an IPv6 address needs brackets: write ${prefix}[${text}]`;
  const parts = text.split(':');
  if (parts.length > 2) {
    const last = text.lastIndexOf(':');
    const host = text.slice(0, last);
    return isIP(host) === 6
      ? `an IPv6 address needs brackets: write ${prefix}[${host}]:${text.slice(last + 1)}`
      : `it is not of the form ${prefix}host:port`;
  }
  const [host = '', port] = parts;
  if (host === '') return `the host is missing: write ${prefix}127.0.0.1:${port || usual} for this machine`;
  if (isIP(host) === 4) return withPort(host, port, host, usual, prefix);
  if (/^[\d.]+$/.test(host)) return `"${host}" is not an IPv4 address`;
  try {
    const name = toDnsName(host);
    if (name === '' || name.startsWith('*')) return `"${host}" is neither an IP address nor a host name`;
    return withPort(name, port, name, usual, prefix);
  } catch (error) {
    if (error instanceof DnsNameError) return `"${host}" is neither an IP address nor a host name: ${error.rule}`;
    throw error;
  }
}

function withPort(
  host: string,
  port: string | undefined,
  shown: string,
  usual: number,
  prefix: string,
): Place | string {
  if (port === undefined || port === '') return { host, port: undefined, shown };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return `"${port}" is not a port (1 to 65535): write ${prefix}${shown}:${usual}`;
  return { host, port: number, shown };
}

/** An entry in a message: a password that somebody put there stays out of logs. */
function shownEntry(item: string): string {
  const shown = item.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1').replace(/\p{C}/gu, '?');
  return shown.length > 80 ? `${shown.slice(0, 80)}...` : shown;
}

// A URL with a host name of 253 characters.
const maxEntry = 300;

async function systemLookup(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
