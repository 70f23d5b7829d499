import { createSocket } from 'node:dgram';
import { setMaxListeners } from 'node:events';
import { connect, isIP } from 'node:net';
import { DnsExchangeError, type DnsTransportName, socketError } from './exchange-error.ts';
import type { DnsServer, DnsTransport, TransportCall } from './transport.ts';

/** Sockets of this machine: one per exchange, closed before the promise settles. */
export const systemTransport: DnsTransport = {
  udp: (server, query, accept, call) =>
    withSocket(server, 'udp', call, (exchange) => {
      // A connected socket takes datagrams from that address and port only, and learns when nothing listens there.
      const socket = createSocket(isIP(server.address) === 6 ? 'udp6' : 'udp4');
      socket.on('error', exchange.fail);
      socket.on('message', (answer) => {
        if (accept(answer)) exchange.done(answer);
      });
      socket.on('connect', () => {
        exchange.sent = true;
        socket.send(query);
      });
      socket.connect(server.port, server.address); // with a callback, errors would go there and not to 'error'
      return () => socket.close();
    }),

  tcp: (server, query, call) =>
    withSocket(server, 'tcp', call, (exchange) => {
      const socket = connect({ host: server.address, port: server.port, noDelay: true });
      const answer = new TcpAnswer();
      socket.on('error', exchange.fail);
      socket.on('connect', () => {
        exchange.sent = true;
        const framed = Buffer.allocUnsafe(query.length + 2);
        framed.writeUInt16BE(query.length);
        framed.set(query, 2);
        socket.write(framed);
      });
      socket.on('data', (chunk) => {
        const message = answer.add(chunk);
        if (message) exchange.done(message);
      });
      socket.on('end', () => exchange.reject('reset', `the server closed the connection ${answer.progress()}`));
      return () => socket.destroy();
    }),
};

/** A transport that sends nothing: every call rejects with kind `denied`. */
export function refusingTransport(): DnsTransport {
  const deny = (server: DnsServer, transport: DnsTransportName) =>
    Promise.reject(new DnsExchangeError('denied', server, transport, 'DNS is switched off here', { sent: false }));
  return { udp: (server) => deny(server, 'udp'), tcp: (server) => deny(server, 'tcp') };
}

interface RunningExchange {
  /** Set once the query may have left. */
  sent: boolean;
  done(answer: Uint8Array): void;
  fail(error: Error): void;
  reject(kind: DnsExchangeError['kind'], problem: string): void;
}

/** Settles once: by an answer, an error of the socket, the time-out or the signal. `open` returns what frees its socket. */
function withSocket(
  server: DnsServer,
  transport: DnsTransportName,
  call: TransportCall,
  open: (exchange: RunningExchange) => () => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let release: (() => void) | undefined;
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      call.signal.removeEventListener('abort', onAbort);
      release?.();
      return true;
    };
    const running: RunningExchange = {
      sent: false,
      done: (answer) => {
        if (settle()) resolve(answer);
      },
      fail: (error) => {
        if (settle()) reject(socketError(error, server, transport, running.sent));
      },
      reject: (kind, problem) => {
        if (settle()) reject(new DnsExchangeError(kind, server, transport, problem, { sent: running.sent }));
      },
    };
    const onAbort = () => running.reject('aborted', 'given up, the caller no longer waits');
    const onTimeout = () =>
      running.reject('timeout', `no ${running.sent ? 'answer' : 'connection'} within ${call.timeoutMs} ms`);
    const timer = setTimeout(onTimeout, call.timeoutMs);
    // One signal may serve many exchanges; Node takes more than ten listeners for a leak and says so on stderr.
    setMaxListeners(Number.POSITIVE_INFINITY, call.signal);
    call.signal.addEventListener('abort', onAbort);

    if (call.signal.aborted) onAbort();
    else if (isIP(server.address) === 0)
      running.reject('unreachable', 'a DNS server is reached by IP address, not by name');
    else if (!(server.port >= 1 && server.port <= 65_535)) running.reject('unreachable', 'ports are 1 to 65535');
    else {
      release = open(running);
      if (settled) release();
    }
  });
}

/** Puts the one answer of a connection together. */
class TcpAnswer {
  readonly #prefix = Buffer.alloc(2);
  #message = Buffer.alloc(0);
  #received = 0;

  /** The message, once it is whole; octets behind it are left out. */
  add(chunk: Buffer): Uint8Array | undefined {
    let taken = 0;
    if (this.#received < 2) {
      taken = chunk.copy(this.#prefix, this.#received);
      this.#received += taken;
      if (this.#received < 2) return undefined;
      this.#message = Buffer.alloc(this.#prefix.readUInt16BE());
    }
    this.#received += chunk.copy(this.#message, this.#received - 2, taken);
    return this.#received - 2 === this.#message.length ? this.#message : undefined;
  }

  progress(): string {
    if (this.#received < 2) return 'before its answer';
    return `after ${this.#received - 2} of ${this.#message.length} octets of its answer`;
  }
}
