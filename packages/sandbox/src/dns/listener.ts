import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { DnsServer } from '@zoneproof/dns';

/** Turns a request into an answer; `undefined` says nothing at all. Must not throw. */
export type Respond = (
  wire: Uint8Array,
  transport: 'udp' | 'tcp',
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

export interface DnsListener {
  /** UDP and TCP alike. */
  readonly server: DnsServer;
  close(): Promise<void>;
}

const idleMs = 10_000;

/** Opens UDP and TCP on one port, a free one for port 0. @throws the system's error when the address cannot be bound */
export async function listenDns(address: string, port: number, respond: Respond): Promise<DnsListener> {
  for (let attempt = 1; ; attempt++) {
    const tcp = await listenTcp(address, port, respond);
    const chosen = (tcp.server.address() as AddressInfo).port;
    try {
      const udp = await listenUdp(address, chosen, respond);
      return {
        server: { address, port: chosen },
        close: async () => {
          await Promise.all([tcp.close(), new Promise<void>((resolve) => udp.close(() => resolve()))]);
        },
      };
    } catch (error) {
      // The port was free for TCP and taken for UDP: the next free one may have both.
      await tcp.close();
      if (port !== 0 || attempt === 20) throw error;
    }
  }
}

function listenUdp(address: string, port: number, respond: Respond): Promise<UdpSocket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  let open = true;
  socket.on('close', () => {
    open = false;
  });
  socket.on('message', async (wire, from) => {
    const answer = await respond(wire, 'udp');
    if (answer && open) socket.send(answer, from.port, from.address, () => {});
  });
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind(port, address, () => {
      socket.removeAllListeners('error').on('error', () => {});
      resolve(socket);
    });
  });
}

interface TcpListener {
  readonly server: Server;
  close(): Promise<void>;
}

function listenTcp(address: string, port: number, respond: Respond): Promise<TcpListener> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    void serveConnection(socket, respond).catch(() => socket.destroy());
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, address, () => resolve({ server, close }));
  });
}

/** Two octets of length before each message (RFC 7766 8); several messages may come over one connection. */
async function serveConnection(socket: Socket, respond: Respond): Promise<void> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const answer = await respond(pending.subarray(2, end), 'tcp');
      pending = pending.subarray(end);
      if (!answer || socket.destroyed) continue;
      const prefix = Buffer.alloc(2);
      prefix.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([prefix, answer]));
    }
  }
}
