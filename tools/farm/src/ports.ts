import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * A port of a loopback address that is free over UDP and TCP at this moment. Taken from below the kernel's ephemeral
 * range, so that an outgoing connection does not take it before the server does.
 */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    if ((await isFreeTcp(address, port)) && (await isFreeUdp(address, port))) return port;
  }
  throw new Error(`no free port was found on ${address} in 100 tries`);
}

function isFreeTcp(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function isFreeUdp(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}
