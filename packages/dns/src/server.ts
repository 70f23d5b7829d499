import { isIP, isIPv6 } from 'node:net';
import type { AnyDnsServer, DnsServer } from './transport.ts';

/**
 * Reads `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:5353`.
 *
 * @throws Error that shows the right form
 */
export function parseServer(text: string, defaultPort = 53): DnsServer {
  const trimmed = text.trim();
  if (isIP(trimmed)) return { address: trimmed, port: defaultPort };
  const [, bracketed, bare, digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(trimmed) ?? [];
  const address = bracketed ?? bare ?? '';
  const port = digits === undefined ? defaultPort : Number(digits);
  if (bracketed === undefined ? isIP(address) !== 4 : !isIPv6(address))
    throw new Error(
      `"${text}" is no address of a DNS server; write an IP address and, where it is not ${defaultPort}, a port: 192.0.2.1:5353 or [2001:db8::1]:5353`,
    );
  if (port < 1 || port > 65_535) throw new Error(`"${text}": ${port} is no port; ports are 1 to 65535`);
  return { address, port };
}

/** `192.0.2.1:53`, `[2001:db8::1]:53`, `tls://dns.example:853`, `https://dns.example/dns-query`. */
export function formatServer(server: AnyDnsServer): string {
  switch (server.kind) {
    case 'https':
      return server.url;
    case 'tls':
      return `tls://${withPort(server.host, server.port)}`;
    case undefined:
      return withPort(server.address, server.port);
  }
}

function withPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
