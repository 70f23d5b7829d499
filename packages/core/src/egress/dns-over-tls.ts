import { isIP, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { DnsExchangeError, FramedConnection, formatServer, type TlsServer, type TransportCall } from '@zoneproof/dns';
import type { AddressGuard } from './address-guard.ts';
import { toDnsError, unknownCaRemedy } from './dns-errors.ts';
import { toEgressError } from './egress-errors.ts';
import type { Trust } from './trust.ts';

/**
 * DNS over TLS (RFC 7858). One connection to a resolver carries all queries of the moment and stays for some idle
 * seconds, since a handshake costs more than many queries. The certificate has to be for the host as it is listed,
 * name or address, before the first octet of a query leaves (RFC 8310 5, strict).
 */
export class TlsConnections {
  readonly #guard: AddressGuard;
  readonly #trust: Trust;
  readonly #open = new Map<string, FramedConnection>();
  #closed = false;

  constructor(guard: AddressGuard, trust: Trust) {
    this.#guard = guard;
    this.#trust = trust;
  }

  /** @throws DnsExchangeError */
  async ask(server: TlsServer, query: Uint8Array, call: TransportCall): Promise<Uint8Array> {
    const startedAt = performance.now();
    const connection = this.#connection(server);
    const isReused = connection.isReady;
    try {
      return await connection.ask(query, call);
    } catch (error) {
      // A server may close an idle connection at any moment, also that of the query (RFC 7766 6.2.4).
      if (!isReused || !(error instanceof DnsExchangeError) || error.kind !== 'reset') throw error;
      const timeoutMs = Math.max(1, call.timeoutMs - (performance.now() - startedAt));
      return this.#connection(server).ask(query, { ...call, timeoutMs });
    }
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#open.values()) connection.close();
    this.#open.clear();
  }

  #connection(server: TlsServer): FramedConnection {
    const { host, port } = server;
    const key = formatServer(server);
    const known = this.#open.get(key);
    if (known?.usable) return known;
    const refusal = this.#guard.refusal(host);
    if (refusal !== undefined || this.#closed)
      throw new DnsExchangeError('denied', server, 'tls', refusal?.message ?? 'the egress was closed', {
        sent: false,
        cause: refusal,
      });
    const label = { what: key, host, proxy: undefined, unknownCaRemedy };
    const options: ConnectionOptions & Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout' | 'noDelay'> = {
      host,
      port,
      // RFC 6066 3: an address is no server name; the certificate is held against it all the same.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['dot'],
      lookup: this.#guard.lookup,
      // Node cuts an attempt off after 250 ms by default, which far servers need.
      autoSelectFamilyAttemptTimeout: 500,
      noDelay: true,
      ...this.#trust.checks(),
    };
    const socket = connect(options);
    const connection = new FramedConnection(socket, {
      server,
      transport: 'tls',
      readyEvent: 'secureConnect',
      idleMs: 5000,
      toError: (error, sent) => toDnsError(toEgressError(error, label, sent), server),
    });
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    return connection;
  }
}
