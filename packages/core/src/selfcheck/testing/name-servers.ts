import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import {
  type DnsMessage,
  type DnsName,
  type DnsServer,
  type DnsTransport,
  decodeMessage,
  encodeMessage,
  mapTransport,
  systemTransport,
} from '@zoneproof/dns';
import { authoritativeAnswer, refused, type Sections, type ZoneData } from './zone-data.ts';

export interface Asked {
  readonly name: DnsName;
  readonly type: string;
  readonly rd: boolean;
  readonly transport: 'udp' | 'tcp';
}

/** How a server behaves beside what its zones say. */
export type Manner = (asked: Asked, usual: Sections) => Partial<DnsMessage> | 'silent';

/** A name server that really listens, on loopback; `address` is the one that zones know it by. */
export interface NameServer {
  readonly address: string;
  readonly zones: ZoneData[];
  readonly queries: Asked[];
  manner: Manner;
}

export interface NameServers {
  readonly transport: DnsTransport;
  /** A server of zones; none = it refuses. */
  serve(address: string, ...zones: ZoneData[]): Promise<NameServer>;
  /** A resolver over all zones served so far and later. */
  resolve(address: string): Promise<NameServer>;
  close(): Promise<void>;
}

/** Real sockets on 127.0.0.1; the transport leads `address:53` to them, and nowhere else. */
export function nameServers(): NameServers {
  const map = new Map<string, DnsServer>();
  const open: { udp: Socket; tcp: Server }[] = [];
  const servers: NameServer[] = [];

  async function listen(address: string, zones: ZoneData[], look: (asked: Asked) => Sections): Promise<NameServer> {
    const server: NameServer = { address, zones, queries: [], manner: (_asked, usual) => usual };
    const answer = (wire: Uint8Array, transport: 'udp' | 'tcp'): Uint8Array | undefined => {
      const { id, rd, questions } = decodeMessage(wire);
      const asked = { name: questions[0]?.name ?? ('' as DnsName), type: questions[0]?.type ?? '', rd, transport };
      server.queries.push(asked);
      const sections = server.manner(asked, look(asked));
      if (sections === 'silent') return undefined;
      return encodeMessage({ id, rd, questions, response: true, ...sections });
    };
    const sockets = await listenTwice(answer);
    open.push(sockets);
    map.set(`${address}:53`, { address: '127.0.0.1', port: sockets.udp.address().port });
    map.set(address, { address: '127.0.0.1', port: sockets.udp.address().port });
    return server;
  }

  const confined: DnsTransport = {
    udp: (server, ...rest) => mapped.udp(known(server), ...rest),
    tcp: (server, ...rest) => mapped.tcp(known(server), ...rest),
  };
  const mapped = mapTransport(systemTransport, map);
  // 127.0.0.1:1 refuses: nothing outside the test is ever asked.
  const known = (server: DnsServer) => (map.has(server.address) ? server : { address: '127.0.0.1', port: 1 });

  return {
    transport: confined,
    async serve(address, ...zones) {
      const server = await listen(address, zones, ({ name, type }) => authoritativeAnswer(zones, name, type));
      servers.push(server);
      return server;
    },
    resolve: (address) =>
      listen(address, [], ({ name, type, rd }) => {
        if (!rd) return refused;
        const answer = authoritativeAnswer(withoutCuts(servers), name, type);
        return { ...answer, rcode: answer.rcode === 'REFUSED' ? 'NXDOMAIN' : answer.rcode, aa: false };
      }),
    async close() {
      await Promise.all(
        open.map(async ({ udp, tcp }) => {
          udp.close();
          tcp.close();
          await Promise.all([once(udp, 'close'), once(tcp, 'close')]);
        }),
      );
    },
  };
}

/** Every zone once, and the whole of it: a resolver sees past delegations to the zone itself. */
function withoutCuts(servers: readonly NameServer[]): ZoneData[] {
  return [...new Map(servers.flatMap(({ zones }) => zones).map((zone) => [zone.apex, zone])).values()];
}

async function listenTwice(answer: (wire: Uint8Array, transport: 'udp' | 'tcp') => Uint8Array | undefined) {
  for (;;) {
    const tcp = createServer((connection) => {
      connection.on('error', () => connection.destroy());
      connection.on('data', (chunk) => {
        const reply = answer(chunk.subarray(2), 'tcp');
        if (reply === undefined) return;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        connection.end(Buffer.concat([length, reply]));
      });
    });
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const udp = createSocket('udp4');
    udp.on('message', (wire, from) => {
      const reply = answer(wire, 'udp');
      if (reply !== undefined) udp.send(reply, from.port, from.address);
    });
    const bound = new Promise<boolean>((resolve) => {
      udp.once('listening', () => resolve(true));
      udp.once('error', () => resolve(false));
    });
    udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1');
    if (await bound) return { udp, tcp };
    tcp.close();
  }
}
