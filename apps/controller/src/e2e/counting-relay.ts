import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { DnsServer } from '@zoneproof/dns';

/** Stands for a name server towards one process, over UDP and TCP, and counts what the process sends. */
export interface CountingRelay extends DnsServer {
  /** Octets so far. */
  sent(): number;
  close(): Promise<void>;
}

export async function startCountingRelay(nameServer: DnsServer): Promise<CountingRelay> {
  let sent = 0;
  const count = ({ length }: Buffer): void => {
    sent += length;
  };
  const sockets = new Set<Socket>();
  const tcp = createServer((client) => {
    const server = connect(nameServer.port, nameServer.address);
    sockets.add(client);
    client.on('data', count).on('error', () => server.destroy());
    client.on('close', () => {
      server.destroy();
      sockets.delete(client);
    });
    server.on('error', () => client.destroy());
    client.pipe(server).pipe(client);
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { address, port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  const upstream = new Map<number, UdpSocket>();
  udp.on('message', (message, from) => {
    count(message);
    let socket = upstream.get(from.port);
    if (socket === undefined) {
      // One for each of the process's, so that answers find their way back.
      socket = createSocket('udp4').on('message', (answer) => udp.send(answer, from.port, from.address));
      upstream.set(from.port, socket);
    }
    socket.send(message, nameServer.port, nameServer.address);
  });
  udp.bind(port, address);
  await once(udp, 'listening');
  return {
    address,
    port,
    sent: () => sent,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const socket of [udp, ...upstream.values()]) socket.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
