import { connect, isIP } from 'node:net';
import { DnsExchangeError, type DnsTransportName, socketError } from './exchange-error.ts';
import { FrameReader, frame } from './frames.ts';
import { SharedSockets } from './shared-sockets.ts';
import type { AnyDnsServer, DnsServer, DnsTransport } from './transport.ts';
import { type Waiting, waitForAnswer } from './waiting.ts';

const sockets = new SharedSockets();

/** Sockets of this machine, closed before the promise of the last query on them settles. Plain DNS only. */
export const systemTransport: DnsTransport = {
  udp: (server, query, accept, call) =>
    waitForAnswer(server, 'udp', call, (waiting) => {
      if (!isAddress(server, waiting)) return () => undefined;
      return sockets.send(server, query, accept, waiting);
    }),

  tcp: (server, query, call) =>
    waitForAnswer(server, 'tcp', call, (waiting) => {
      if (!isAddress(server, waiting)) return () => undefined;
      const socket = connect({ host: server.address, port: server.port, noDelay: true });
      const frames = new FrameReader();
      socket.on('error', (error) => waiting.fail(socketError(error, server, 'tcp', waiting.sent)));
      socket.on('connect', () => {
        if (waiting.leave()) socket.write(frame(query));
      });
      socket.on('data', (chunk) => {
        const { value: answer } = frames.read(chunk).next();
        if (answer) waiting.done(answer);
      });
      socket.on('end', () => waiting.refuse('reset', `the server closed the connection ${frames.progress()}`));
      return () => socket.destroy();
    }),
};

/** A transport that sends nothing: every call rejects with kind `denied`. */
export function refusingTransport(): DnsTransport {
  const deny = (server: AnyDnsServer, transport: DnsTransportName) =>
    Promise.reject(new DnsExchangeError('denied', server, transport, 'DNS is switched off here', { sent: false }));
  return {
    udp: (server) => deny(server, 'udp'),
    tcp: (server) => deny(server, 'tcp'),
    encrypted: (server) => deny(server, server.kind),
  };
}

function isAddress(server: DnsServer, waiting: Waiting): boolean {
  if (isIP(server.address) === 0) waiting.refuse('unreachable', 'a DNS server is reached by IP address, not by name');
  else if (!(server.port >= 1 && server.port <= 65_535)) waiting.refuse('unreachable', 'ports are 1 to 65535');
  else return true;
  return false;
}
