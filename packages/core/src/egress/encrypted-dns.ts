import type { DnsTransport } from '@zoneproof/dns';
import type { Dispatcher } from 'undici';
import { type DispatcherOptions, EgressDispatcher } from './dispatcher.ts';
import { unknownCaRemedy } from './dns-errors.ts';
import { askOverHttps } from './dns-over-https.ts';
import { TlsConnections } from './dns-over-tls.ts';
import { EgressError } from './egress.ts';
import { type ExchangeDefaults, exchange } from './exchange.ts';

export interface EncryptedDns {
  readonly ask: NonNullable<DnsTransport['encrypted']>;
  close(): Promise<void>;
}

/** Resolvers over TLS and HTTPS, by the egress's trust and address rule; HTTPS through its proxy, TLS directly. */
export function createEncryptedDns(options: DispatcherOptions, defaults: ExchangeDefaults): EncryptedDns {
  const connections = new TlsConnections(options.guard, options.trust);
  const dispatcher = new EgressDispatcher({ ...options, http2: true });
  return {
    async ask(server, query, call) {
      if (server.kind === 'tls') return connections.ask(server, query, call);
      return askOverHttps(
        async (request) => {
          if (dispatcher.closed) throw new EgressError('aborted', 'the egress was closed', false);
          return exchange(dispatcher as unknown as Dispatcher, request, { ...defaults, unknownCaRemedy });
        },
        server,
        query,
        call,
      );
    },
    async close() {
      connections.close();
      await dispatcher.destroy();
    },
  };
}
