import { formatServer } from './server.ts';
import type { AnyDnsServer } from './transport.ts';

export type DnsTransportName = 'udp' | 'tcp' | 'tls' | 'https';

/**
 * timeout      no usable answer in time
 * refused      nothing listens there
 * unreachable  no way to that address from here, or no address
 * reset        the server closed the connection before its answer was whole
 * malformed    it answered something that is no answer to this question
 * tls          the server's certificate is not trusted, or no TLS connection came about
 * denied       the transport may not send
 * aborted      the caller's signal fired
 */
export type DnsExchangeErrorKind =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'malformed'
  | 'tls'
  | 'denied'
  | 'aborted';

/** Why a server's answer is not to be had. When `sent` is false the server certainly has not seen the message. */
export class DnsExchangeError extends Error {
  readonly kind: DnsExchangeErrorKind;
  readonly server: AnyDnsServer;
  readonly transport: DnsTransportName;
  /** What happened, without the server. */
  readonly problem: string;
  readonly sent: boolean;

  constructor(
    kind: DnsExchangeErrorKind,
    server: AnyDnsServer,
    transport: DnsTransportName,
    problem: string,
    details: { readonly sent: boolean; readonly cause?: unknown },
  ) {
    super(
      `${formatServer(server)} (${transport}): ${problem}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = 'DnsExchangeError';
    this.kind = kind;
    this.server = server;
    this.transport = transport;
    this.problem = problem;
    this.sent = details.sent;
  }
}

/** What the system says about a socket, in our words. */
export function socketError(
  error: NodeJS.ErrnoException,
  server: AnyDnsServer,
  transport: DnsTransportName,
  sent: boolean,
): DnsExchangeError {
  const { code = error.message } = error;
  const details = { sent, cause: error };
  switch (code) {
    case 'ECONNREFUSED':
      return new DnsExchangeError(
        'refused',
        server,
        transport,
        'connection refused; no DNS server listens there',
        details,
      );
    case 'ECONNRESET':
    case 'EPIPE':
      return new DnsExchangeError('reset', server, transport, 'the server closed the connection', details);
    case 'ETIMEDOUT':
      return new DnsExchangeError('timeout', server, transport, 'the connection timed out', details);
    default:
      return new DnsExchangeError(
        'unreachable',
        server,
        transport,
        `no way to this address from here (${code})`,
        details,
      );
  }
}
