import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { type Duplex, duplexPair } from 'node:stream';
import type { Egress, HttpAnswer, HttpRequest } from '@zoneproof/core';
import { nodeError } from './sdk-errors.ts';

const maxSdkBytes = 32 * 1024 * 1024;
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'content-length']);

/**
 * An agent for node:https over an `http` of the egress: it hands each request a pipe instead of a socket, behind which a
 * server in memory passes on what it reads.
 */
export function createHttpsAgent(http: Egress['http'], refuses: () => boolean): Agent {
  return new OverHttpAgent(http, refuses);
}

/** True for an agent made by {@link createHttpsAgent}. */
export function isOfEgress(agent: object): boolean {
  return agent instanceof OverHttpAgent;
}

class OverHttpAgent extends Agent {
  readonly #http: Egress['http'];
  readonly #refuses: () => boolean;

  constructor(http: Egress['http'], refuses: () => boolean) {
    super({ keepAlive: false });
    this.#http = http;
    this.#refuses = refuses;
  }

  override createConnection(
    { host, port }: { readonly host?: string; readonly port?: number },
    connected?: (error: Error | null, socket: never) => void,
  ): undefined {
    const [ours, theirs] = duplexPair();
    const authority = `${host?.includes(':') ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}`;
    const server = createServer((incoming, response) => {
      pass(this.#http, `https://${authority}`, incoming, response).catch((error: unknown) =>
        ours.destroy(nodeError(error)),
      );
    });
    ours.once('close', () => theirs.destroy());
    server.emit('connection', theirs);
    const error = this.#refuses() ? Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) : null;
    process.nextTick(() => connected?.(error, likeSocket(ours) as never));
  }
}

async function pass(
  http: Egress['http'],
  origin: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const stop = new AbortController();
  response.once('close', () => stop.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const answer = await http({
    method: incoming.method as HttpRequest['method'],
    url: `${origin}${incoming.url}`,
    headers: passedOn(incoming.headers),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    signal: stop.signal,
    maxBytes: maxSdkBytes,
  });
  response.writeHead(answer.status, passedOn(answer.headers)).end(answer.body);
}

function passedOn(headers: IncomingMessage['headers'] | HttpAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.has(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

/** What node:http asks of a socket besides being a stream. */
function likeSocket(pipe: Duplex): Duplex {
  const itself = (): Duplex => pipe;
  return Object.assign(pipe, {
    setTimeout: itself,
    setNoDelay: itself,
    setKeepAlive: itself,
    ref: itself,
    unref: itself,
  });
}
