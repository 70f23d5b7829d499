import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { socketError } from './exchange-error.ts';
import { formatServer } from './server.ts';
import type { DnsServer } from './transport.ts';
import type { Waiting } from './waiting.ts';

/**
 * UDP sockets that the queries of one moment share: those to one server, at most 16 to a socket, as long as one of
 * them is under way. Opening a socket for each costs as much again as the whole exchange. Queries that follow one
 * another have a port each, and each question is still asked once under a port and an id that nobody can know
 * (RFC 5452 9.2); a forger gains nothing from the other questions beside it.
 */
export class SharedSockets {
  readonly #open = new Map<string, SharedSocket>();

  /** @returns what lets go of the socket; the last to do so closes it */
  send(server: DnsServer, query: Uint8Array, accept: (answer: Uint8Array) => boolean, waiting: Waiting): () => void {
    const key = formatServer(server);
    let socket = this.#open.get(key);
    if (!socket?.takesMore()) {
      const opened = new SharedSocket(server, () => {
        if (this.#open.get(key) === opened) this.#open.delete(key);
      });
      this.#open.set(key, opened);
      socket = opened;
    }
    return socket.send({ query, accept, waiting });
  }
}

interface Pending {
  readonly query: Uint8Array;
  readonly accept: (answer: Uint8Array) => boolean;
  readonly waiting: Waiting;
}

const maxQueries = 16;
const maxAgeMs = 5000;

class SharedSocket {
  readonly #socket: Socket;
  readonly #closed: () => void;
  readonly #server: DnsServer;
  readonly #pending = new Set<Pending>();
  readonly #openedAt = performance.now();
  #queries = 0;
  #connected = false;

  constructor(server: DnsServer, closed: () => void) {
    this.#closed = closed;
    this.#server = server;
    this.#socket = createSocket(isIP(server.address) === 6 ? 'udp6' : 'udp4');
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('message', (datagram) => {
      for (const { accept, waiting } of this.#pending) {
        if (!accept(datagram)) continue;
        waiting.done(datagram);
        return;
      }
    });
    this.#socket.on('connect', () => {
      this.#connected = true;
      for (const pending of this.#pending) this.#write(pending);
    });
    // A connected socket takes datagrams from that address and port only, and learns when nothing listens there.
    this.#socket.connect(server.port, server.address); // with a callback, errors would go there and not to 'error'
  }

  takesMore(): boolean {
    return this.#queries < maxQueries && performance.now() - this.#openedAt < maxAgeMs;
  }

  send(pending: Pending): () => void {
    this.#queries += 1;
    this.#pending.add(pending);
    if (this.#connected) this.#write(pending);
    return () => {
      if (!this.#pending.delete(pending) || this.#pending.size > 0) return;
      this.#closed();
      this.#socket.close();
    };
  }

  #write({ query, waiting }: Pending): void {
    if (!waiting.leave()) return;
    // That nothing listens there is told once, and where the next datagram leaves at once, in answer to that one.
    this.#socket.send(query, (error) => {
      if (error) this.#fail(error);
    });
  }

  #fail(error: Error): void {
    for (const { waiting } of this.#pending) waiting.fail(socketError(error, this.#server, 'udp', waiting.sent));
  }
}
