/** An address (no host name; IPv6 without brackets, a zone as `%eth0`) and a port of a DNS server: UDP and TCP. */
export interface DnsServer {
  readonly address: string;
  readonly port: number;
  /** Never there: what tells it from an `EncryptedServer`. */
  readonly kind?: undefined;
}

/** A resolver asked over TLS (RFC 7858). */
export interface TlsServer {
  readonly kind: 'tls';
  /** A host name or an IP address (IPv6 without brackets); the resolver's certificate has to be for it. */
  readonly host: string;
  /** 853 unless it says so. */
  readonly port: number;
}

/** A resolver asked over HTTPS (RFC 8484), by POST. */
export interface HttpsServer {
  readonly kind: 'https';
  /** `https://dns.example/dns-query`. */
  readonly url: string;
}

export type EncryptedServer = TlsServer | HttpsServer;

/** Whatever a question can be put to. Authoritative servers are plain; resolvers may be either. */
export type AnyDnsServer = DnsServer | EncryptedServer;

/** How long and how far one exchange may go. */
export interface TransportCall {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the socket is ready, right before the query is written to it; what it throws ends the exchange unsent. */
  readonly beforeSend?: () => void;
}

/**
 * How octets reach a server. Everything above works on wire messages, so that TSIG, AA, RD and EDNS stay visible.
 *
 * Implementations reject with `DnsExchangeError` only and settle at the latest when `timeoutMs` has passed or `signal`
 * fires. Plain sockets and timers are released before the last call that uses them settles; an encrypted connection
 * may stay open for a few idle seconds and belongs to whoever made the transport.
 */
export interface DnsTransport {
  /**
   * Sends one datagram from a random port. `accept` looks at every datagram that arrives from that server there; what
   * it refuses (wrong id, wrong question, bad MAC: RFC 5452, RFC 8945 5.3) is dropped and the wait goes on.
   */
  udp(
    server: DnsServer,
    query: Uint8Array,
    accept: (answer: Uint8Array) => boolean,
    call: TransportCall,
  ): Promise<Uint8Array>;
  /** One query and one answer over a connection of their own, with the two-octet length prefix (RFC 7766). */
  tcp(server: DnsServer, query: Uint8Array, call: TransportCall): Promise<Uint8Array>;
  /** One query and one answer over TLS or HTTPS. A transport without it reaches plain servers only. */
  encrypted?(server: EncryptedServer, query: Uint8Array, call: TransportCall): Promise<Uint8Array>;
}

/**
 * A transport that reaches some servers at another address and port: `127.0.0.2:53 -> 127.0.0.1:35353`. Keys are
 * `address:port` or, for every port of it, `address`. For sandboxes and tests, whose servers cannot have port 53.
 */
export function mapTransport(base: DnsTransport, servers: ReadonlyMap<string, DnsServer>): DnsTransport {
  const mapped = (server: DnsServer): DnsServer =>
    servers.get(`${server.address}:${server.port}`) ?? servers.get(server.address) ?? server;
  return {
    ...(base.encrypted && { encrypted: base.encrypted.bind(base) }),
    udp: (server, query, accept, call) => base.udp(mapped(server), query, accept, call),
    tcp: (server, query, call) => base.tcp(mapped(server), query, call),
  };
}
