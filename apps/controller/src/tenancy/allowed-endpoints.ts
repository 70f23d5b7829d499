import { isIP } from 'node:net';

/** What `--allowed-endpoints` has that names no host. */
export class AllowedEndpointsError extends Error {
  constructor(entry: string) {
    super(`"${entry}" is no host; write it like dns.example.com, dns.example.com:8443 or [2001:db8::53].`);
    this.name = 'AllowedEndpointsError';
  }
}

/** Hosts that Issuers of namespaces may name as `endpoint`. */
export interface AllowedEndpoints {
  /** Whether the host of this URL is among them, with its port where the entry has one. */
  allowsUrl(url: string): boolean;
  /** Whether a host is among them by its name or address, whatever the port. */
  allowsHost(host: string): boolean;
}

/** Reads `dns.example.com, dns.example.net:8443, [2001:db8::53]`, by commas or spaces. @throws AllowedEndpointsError */
export function parseAllowedEndpoints(text: string): AllowedEndpoints {
  const entries = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => readEntry(entry));
  return {
    allowsUrl(url) {
      if (!URL.canParse(url)) return false;
      const { hostname, port, protocol } = new URL(url);
      const actual = port || (protocol === 'http:' ? '80' : '443');
      return entries.some((entry) => entry.host === bare(hostname) && (entry.port === '' || entry.port === actual));
    },
    allowsHost(host) {
      const plain = canonical(host);
      return plain !== undefined && entries.some((entry) => entry.host === plain);
    },
  };
}

function readEntry(entry: string): { readonly host: string; readonly port: string } {
  const [, host = '', port = ''] = /^(\[[^\]]+\]|[^:]+?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const name = canonical(host);
  if (name === undefined || Number(port) > 65_535) throw new AllowedEndpointsError(entry);
  return { host: name, port: port === '' ? '' : String(Number(port)) };
}

/** As the URL parser spells a host; undefined for what is none. */
function canonical(host: string): string | undefined {
  const inUrl = `http://${isIP(host) === 6 ? `[${host}]` : host}/`;
  if (/[/?#@\\]/.test(host) || !URL.canParse(inUrl)) return undefined;
  const hostname = bare(new URL(inUrl).hostname);
  return /^[a-z0-9_.:-]+$/.test(hostname) ? hostname : undefined;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
