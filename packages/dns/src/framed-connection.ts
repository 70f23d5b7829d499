import type { Socket } from 'node:net';
import type { DnsExchangeError, DnsTransportName } from './exchange-error.ts';
import { FrameReader, frame } from './frames.ts';
import type { AnyDnsServer, TransportCall } from './transport.ts';
import { type Waiting, waitForAnswer } from './waiting.ts';

export interface FramedConnectionOptions {
  readonly server: AnyDnsServer;
  readonly transport: DnsTransportName;
  /** The event of the stream from which on it may be written to: for TLS the one after the certificate was checked. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** How long the connection stays when no query is under way. */
  readonly idleMs: number;
  /** What the stream's error means. */
  readonly toError: (error: Error, sent: boolean) => DnsExchangeError;
}

/**
 * Many queries over one stream (RFC 7766 6.2.1, RFC 7858 3.3): each travels under an id of its own on this connection,
 * so that answers may come in any order, and gets its own id back. Answers to nobody are dropped.
 */
export class FramedConnection {
  readonly #socket: Socket;
  readonly #options: FramedConnectionOptions;
  readonly #pending = new Map<number, { readonly query: Uint8Array; readonly waiting: Waiting }>();
  #nextId = 0;
  #ready = false;
  #retired = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: FramedConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const frames = new FrameReader();
    socket.on(options.readyEvent, () => {
      this.#ready = true;
      for (const id of this.#pending.keys()) this.#write(id);
    });
    socket.on('data', (chunk: Buffer) => {
      for (const message of frames.read(chunk)) this.#deliver(message);
    });
    socket.on('error', (error) => {
      this.#retired = true;
      for (const { waiting } of this.#pending.values()) waiting.fail(options.toError(error, waiting.sent));
    });
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.#retired = true;
        clearTimeout(this.#idle);
        for (const { waiting } of this.#pending.values())
          waiting.refuse('reset', `the server closed the connection ${frames.progress()}`);
        socket.destroy();
      });
  }

  /** False once it is closed or about to be: the next query needs another connection. */
  get usable(): boolean {
    return !this.#retired && this.#pending.size < maxPending;
  }

  /** True when it was made: a reset then need not be the server's word on a query. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** @throws DnsExchangeError */
  async ask(query: Uint8Array, call: TransportCall): Promise<Uint8Array> {
    try {
      return await waitForAnswer(this.#options.server, this.#options.transport, call, (waiting) => {
        if (!this.#retired) return this.#enter(query, waiting);
        waiting.refuse('reset', 'the connection is closed');
        return () => undefined;
      });
    } catch (error) {
      // It may be dead without a word (a firewall that forgot it): whoever comes next does not wait on it as well.
      if ((error as DnsExchangeError).kind === 'timeout') this.#retire();
      throw error;
    }
  }

  close(): void {
    this.#retired = true;
    clearTimeout(this.#idle);
    this.#socket.destroy();
  }

  #enter(query: Uint8Array, waiting: Waiting): () => void {
    clearTimeout(this.#idle);
    this.#socket.ref();
    while (this.#pending.has(this.#nextId)) this.#nextId = (this.#nextId + 1) & 0xffff;
    const id = this.#nextId;
    this.#nextId = (id + 1) & 0xffff;
    this.#pending.set(id, { query, waiting });
    if (this.#ready && !this.#retired) this.#write(id);
    return () => {
      this.#pending.delete(id);
      if (this.#pending.size > 0) return;
      if (this.#ready && !this.#retired) this.#rest();
      else this.close();
    };
  }

  /** Nothing is under way: the process may end. */
  #rest(): void {
    this.#idle = setTimeout(() => this.close(), this.#options.idleMs).unref();
    this.#socket.unref();
  }

  #write(id: number): void {
    const { query, waiting } = this.#pending.get(id)!;
    if (!waiting.leave()) return;
    const framed = frame(query);
    framed.writeUInt16BE(id, 2);
    this.#socket.write(framed);
  }

  #deliver(message: Buffer): void {
    if (message.length < 2) return;
    const pending = this.#pending.get(message.readUInt16BE());
    if (pending === undefined) return;
    message.set(pending.query.subarray(0, 2));
    pending.waiting.done(message);
  }

  #retire(): void {
    this.#retired = true;
    if (this.#pending.size === 0) this.close();
  }
}

// Far below the 65 536 ids there are; a burst beyond it opens a second connection.
const maxPending = 1000;
