import { type DnsTransport, systemTransport } from '@zoneproof/dns';
import type { Dispatcher } from 'undici';
import { type AddressRule, createAddressGuard, guardTransport, type LookupHostAddresses } from './address-guard.ts';
import { EgressDispatcher } from './dispatcher.ts';
import { type Egress, EgressError } from './egress.ts';
import { createFetch } from './egress-fetch.ts';
import { createEncryptedDns } from './encrypted-dns.ts';
import { type ExchangeDefaults, exchange } from './exchange.ts';
import { EgressHttpsAgent } from './https-agent.ts';
import { createProxyChoice, type ProxySettings, proxyName } from './proxy.ts';
import { checkBundle, createTrust } from './trust.ts';

export interface EgressOptions {
  /** PEM certificates to trust instead of the system's roots. */
  readonly caBundle?: string;
  readonly proxy?: ProxySettings;
  /** Asked about each address before it is connected to, by HTTP and DNS. */
  readonly addressRule?: AddressRule;
  /** How names are resolved that are connected to; default `dns.lookup`. */
  readonly lookup?: LookupHostAddresses;
  /**
   * Called when a connection is ready, right before a request or a DNS query is written to it; what it throws ends the
   * exchange with kind `denied`, and nothing was sent. For a process that may lose its right to act at any time.
   */
  readonly beforeSend?: () => void;
  /** Default: the system's sockets. Where it has no way to encrypted resolvers, the egress lends its own. */
  readonly dns?: DnsTransport;
  /** Most octets of a body that `http` reads unless a request says otherwise; default 1 MiB. */
  readonly maxBytes?: number;
  /** One whole exchange of `http`; for SDKs the longest silence; default 30 000. */
  readonly timeoutMs?: number;
  /** Default `zoneproof`. */
  readonly userAgent?: string;
}

/** @throws EgressError when `caBundle` or `proxy` cannot be read */
export function createEgress(options: EgressOptions = {}): Egress {
  const guard = createAddressGuard(options.addressRule, options.lookup);
  const proxyFor = createProxyChoice(options.proxy ?? {});
  const plainDns = options.dns ?? systemTransport;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const { beforeSend } = options;
  const defaults: ExchangeDefaults = {
    timeoutMs,
    maxBytes: options.maxBytes ?? 1024 * 1024,
    userAgent: options.userAgent ?? 'zoneproof',
    proxyFor(target) {
      const proxy = proxyFor(target);
      return proxy && proxyName(proxy);
    },
    beforeSend,
  };

  function open(bundles: readonly string[]): Egress {
    const trust = createTrust(bundles);
    const dispatcher = new EgressDispatcher({ guard, trust, proxyFor, timeoutMs, beforeSend });
    const asUndici = dispatcher as unknown as Dispatcher;
    const others = new Map<string, Egress>();
    let httpsAgent: EgressHttpsAgent | undefined;
    const http: Egress['http'] = async (request) => {
      if (dispatcher.closed) throw new EgressError('aborted', `${request.method}: the egress was closed`, false);
      return exchange(asUndici, request, defaults);
    };
    const encryptedDns = createEncryptedDns({ guard, trust, proxyFor, timeoutMs, beforeSend }, defaults);
    return {
      http,
      dispatcher: asUndici,
      fetch: createFetch(http),
      get httpsAgent() {
        httpsAgent ??= new EgressHttpsAgent(guard, trust, proxyFor, beforeSend);
        return httpsAgent;
      },
      dns: askingBeforeSend(guardTransport({ encrypted: encryptedDns.ask, ...plainDns }, guard), beforeSend),
      withCaBundle(pem) {
        let other = others.get(pem);
        if (other === undefined) {
          other = open([...bundles, checkBundle(pem)]);
          others.set(pem, other);
        }
        return other;
      },
      async close() {
        httpsAgent?.destroy();
        await Promise.all([
          dispatcher.destroy(),
          encryptedDns.close(),
          ...[...others.values()].map((other) => other.close()),
        ]);
      },
    };
  }

  return open(options.caBundle === undefined ? [] : [checkBundle(options.caBundle)]);
}

function askingBeforeSend(dns: DnsTransport, beforeSend: (() => void) | undefined): DnsTransport {
  if (beforeSend === undefined) return dns;
  return {
    udp: (server, query, accept, call) => dns.udp(server, query, accept, { ...call, beforeSend }),
    tcp: (server, query, call) => dns.tcp(server, query, { ...call, beforeSend }),
    ...(dns.encrypted && {
      encrypted: (server, query, call) => dns.encrypted!(server, query, { ...call, beforeSend }),
    }),
  };
}
