import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket as TcpSocket } from 'node:net';
import type { DnsServer } from '@zoneproof/dns';

/** UDP and TCP at one address and port. */
export interface Listening {
  readonly at: DnsServer;
  readonly udp: Socket;
  close(): Promise<void>;
}

export interface Handlers {
  /** `back` sends a datagram to whoever asked. */
  datagram(wire: Buffer, from: DnsServer, back: (wire: Uint8Array) => void): void;
  /** Octets of a connection as they come. */
  connection(socket: TcpSocket): void;
}

/** @param port 0: a free one, the same for both */
export async function listen({ address, port }: DnsServer, handlers: Handlers): Promise<Listening> {
  for (let tried = 1; ; tried++) {
    const sockets = await listenOnce(address, port, handlers);
    if ('at' in sockets) return sockets;
    if (port !== 0 || tried === 20) throw sockets;
  }
}

async function listenOnce(address: string, port: number, handlers: Handlers): Promise<Listening | Error> {
  const connections = new Set<TcpSocket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    handlers.connection(socket);
  });
  tcp.listen({ host: address, port, exclusive: true });
  await once(tcp, 'listening');
  const at = { address, port: portOf(tcp) };
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const bound = new Promise<Error | undefined>((resolve) => {
    udp.once('listening', () => resolve(undefined));
    udp.once('error', resolve);
  });
  udp.bind({ ...at, exclusive: true });
  const error = await bound;
  if (error !== undefined) {
    tcp.close();
    return error;
  }
  udp.on('error', () => {}); // of a client that has gone
  udp.on('message', (wire, from) =>
    handlers.datagram(wire, from, (answer) => {
      if (isOpen) udp.send(answer, from.port, from.address);
    }),
  );
  let isOpen = true;
  return {
    at,
    udp,
    async close() {
      isOpen = false;
      for (const socket of connections) socket.destroy();
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}
