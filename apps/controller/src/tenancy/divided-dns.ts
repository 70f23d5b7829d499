import type { StartingServers } from '@zoneproof/core';
import { type AnyDnsServer, DnsExchangeError, type DnsTransport, formatServer } from '@zoneproof/dns';

/**
 * DNS by more than one way: to the servers of a list as whoever wrote the list may, and to all others, such as the name
 * servers of a zone, by `others`. A node's own resolver may well be at a loopback or link-local address, where nobody
 * else is to be asked.
 */
export class DividedDns implements DnsTransport {
  readonly #others: DnsTransport;
  /** The servers that each list had when it was last read, and the way to them. */
  readonly #listed = new Map<StartingServers, { readonly servers: ReadonlySet<string>; readonly way: DnsTransport }>();

  constructor(others: DnsTransport) {
    this.#others = others;
  }

  /** The same list; what it holds is asked by `way`. */
  lead(list: StartingServers, way: DnsTransport): StartingServers {
    return async () => {
      const servers = await list();
      this.#listed.set(list, { servers: new Set(servers.map(formatServer)), way });
      return servers;
    };
  }

  udp(...[server, query, accept, call]: Parameters<DnsTransport['udp']>): Promise<Uint8Array> {
    return this.#wayTo(server).udp(server, query, accept, call);
  }

  tcp(...[server, query, call]: Parameters<DnsTransport['tcp']>): Promise<Uint8Array> {
    return this.#wayTo(server).tcp(server, query, call);
  }

  async encrypted(...[server, query, call]: Parameters<NonNullable<DnsTransport['encrypted']>>): Promise<Uint8Array> {
    const way = this.#wayTo(server);
    if (way.encrypted === undefined)
      throw new DnsExchangeError('denied', server, server.kind, 'plain DNS only goes out here', { sent: false });
    return way.encrypted(server, query, call);
  }

  #wayTo(server: AnyDnsServer): DnsTransport {
    const name = formatServer(server);
    for (const { servers, way } of this.#listed.values()) if (servers.has(name)) return way;
    return this.#others;
  }
}
