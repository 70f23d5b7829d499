import { type DnsName, type DnsServer, type DnsTransport, mapTransport, systemTransport } from '@zoneproof/dns';
import type { Listening } from './listen.ts';
import { createRecursion, type Denial } from './resolver.ts';
import { type ScriptedServer, startScriptedServer } from './server.ts';
import { answerFrom, type ScriptedZone } from './zone.ts';

/** A DNS of its own: name servers and resolvers that really listen, each known by an address that nobody else has. */
export interface ScriptedNetwork {
  /** Leads `ADDRESS:53` to where the server really is, and everything else nowhere. */
  readonly transport: DnsTransport;
  /** A server of zones; none = it refuses. */
  serve(address: string, ...zones: readonly ScriptedZone[]): Promise<ScriptedServer>;
  /** A resolver over what some servers have (default: all that serve, also later ones). It keeps denials. */
  resolve(address: string, over?: readonly ScriptedServer[]): Promise<ScriptedResolver>;
  /** Leads an address to a server that is none of ours. */
  lead(address: string, at: DnsServer): void;
  /** Queries that went out over `transport`. */
  sent(): number;
  readonly servers: readonly ScriptedServer[];
  close(): Promise<void>;
}

export interface ScriptedResolver extends ScriptedServer {
  /** What it has said is not there, and keeps. */
  readonly denials: readonly Denial[];
}

export interface NetworkOptions {
  /** Where the server that is known by `address` listens; port 0 = a free one. */
  readonly place: (address: string) => DnsServer;
  /** Epoch milliseconds, for what a resolver keeps. */
  readonly now: () => number;
}

/** Each IPv4 address has one of its own on loopback, at a free port: `192.0.2.7` is 127.0.2.7. IPv6 has `::1` only. */
export function onLoopback(address: string): DnsServer {
  if (address.includes(':')) return { address: '::1', port: 0 };
  return { address: address.replace(/^\d+/, '127'), port: 0 };
}

export function scriptedNetwork({ place, now }: NetworkOptions): ScriptedNetwork {
  const map = new Map<string, DnsServer>();
  const open: Listening[] = [];
  const servers: ScriptedServer[] = [];
  const mapped = mapTransport(systemTransport, map);
  // Port 1 of 127.0.0.1 refuses: nothing outside is ever asked.
  const known = (server: DnsServer) =>
    map.has(`${server.address}:${server.port}`) ? server : { address: '127.0.0.1', port: 1 };

  let sent = 0;

  function add(address: string, { server, listening }: Awaited<ReturnType<typeof startScriptedServer>>): void {
    open.push(listening);
    map.set(`${address}:53`, listening.at);
    servers.push(server);
  }

  return {
    transport: {
      udp(server, ...rest) {
        sent += 1;
        return mapped.udp(known(server), ...rest);
      },
      tcp(server, ...rest) {
        sent += 1;
        return mapped.tcp(known(server), ...rest);
      },
    },
    servers,
    sent: () => sent,
    async serve(address, ...zones) {
      const started = await startScriptedServer(address, place(address), zones, ({ name, type }) =>
        answerFrom(zones, name, type),
      );
      add(address, started);
      return started.server;
    },
    async resolve(address, over) {
      const recursion = createRecursion(() => zonesOnce(over ?? servers), now);
      const started = await startScriptedServer(address, place(address), [], ({ name, type, rd }) =>
        recursion.answer(name, type, rd),
      );
      add(address, started);
      return Object.assign(started.server, { denials: recursion.denials });
    },
    lead: (address, at) => map.set(`${address}:53`, at),
    async close() {
      await Promise.all(open.map((one) => one.close()));
    },
  };
}

/** Each zone as the first of its servers has it. */
function zonesOnce(servers: readonly ScriptedServer[]): ScriptedZone[] {
  const zones = new Map<DnsName, ScriptedZone>();
  for (const zone of servers.flatMap((server) => server.zones)) if (!zones.has(zone.apex)) zones.set(zone.apex, zone);
  return [...zones.values()];
}
