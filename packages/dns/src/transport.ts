/** An address (no host name; IPv6 without brackets) and a port of a DNS server. */
export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

/** How long and how far one exchange may go. */
export interface TransportCall {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * How octets reach a server. Everything above works on wire messages, so that TSIG, AA, RD and EDNS stay visible.
 *
 * Implementations reject with `DnsExchangeError` only, release every socket and timer before they settle, and settle
 * at the latest when `timeoutMs` has passed or `signal` fires.
 */
export interface DnsTransport {
  /**
   * Sends one datagram from a fresh random port. `accept` looks at every datagram that arrives from that server;
   * what it refuses (wrong id, wrong question, bad MAC: RFC 5452, RFC 8945 5.3) is dropped and the wait goes on.
   */
  udp(
    server: DnsServer,
    query: Uint8Array,
    accept: (answer: Uint8Array) => boolean,
    call: TransportCall,
  ): Promise<Uint8Array>;
  /** One query and one answer over a connection of their own, with the two-octet length prefix (RFC 7766). */
  tcp(server: DnsServer, query: Uint8Array, call: TransportCall): Promise<Uint8Array>;
}

/**
 * A transport that reaches some servers at another address and port: `127.0.0.2:53 -> 127.0.0.1:35353`. Keys are
 * `address:port` or, for every port of it, `address`. For sandboxes and tests, whose servers cannot have port 53.
 */
export function mapTransport(base: DnsTransport, servers: ReadonlyMap<string, DnsServer>): DnsTransport {
  const mapped = (server: DnsServer): DnsServer =>
    servers.get(`${server.address}:${server.port}`) ?? servers.get(server.address) ?? server;
  return {
    udp: (server, query, accept, call) => base.udp(mapped(server), query, accept, call),
    tcp: (server, query, call) => base.tcp(mapped(server), query, call),
  };
}
