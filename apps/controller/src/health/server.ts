import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatListenAddress, type ListenAddress } from './listen-address.ts';

export interface HealthOptions {
  readonly listen: ListenAddress;
  /** Why the process is past help and should be started anew; undefined while it is well. */
  readonly live: () => string | undefined;
  /** Why it cannot do its work yet; undefined when it can, or stands by to do so. */
  readonly ready: () => string | undefined;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

export interface HealthServer {
  /** The one that was given, with the port that is used. */
  readonly address: ListenAddress;
  close(): Promise<void>;
}

/** The address cannot be listened at; the message says why and what to do. */
export class ListenError extends Error {
  constructor(listen: ListenAddress, cause: NodeJS.ErrnoException) {
    super(`cannot listen at ${formatListenAddress(listen)}: ${reasonOf(cause)}`, { cause });
    this.name = 'ListenError';
  }
}

/** A scrape of thousands of certificates costs tens of milliseconds: whoever asks more often gets the same answer. */
const scrapeKeptMs = 1_000;
const maxConnections = 32;
/** A connection that is silent, or does not take what it is sent, for this long is closed. */
const silenceMs = 30_000;

/**
 * Serves /healthz, /readyz and /metrics to whoever can reach it, and nothing else. Bounded in connections, time and
 * headers; what a request carries is not read.
 *
 * @throws ListenError
 */
export async function serveHealth({ listen, live, ready, metrics }: HealthOptions): Promise<HealthServer> {
  const scrape = keptFor(scrapeKeptMs, metrics);
  const answers: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => verdict(live()),
    '/readyz': async () => verdict(ready()),
    '/metrics': async () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await scrape() }),
  };
  const server = createServer(
    { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 5_000 },
    (request, response) => void respond(request, response, answers),
  );
  server.maxConnections = maxConnections;
  server.setTimeout(silenceMs);
  await started(server, listen);
  const { port } = server.address() as AddressInfo;
  return {
    address: { ...listen, port },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const plain = 'text/plain; charset=utf-8';

function verdict(trouble: string | undefined): Answer {
  return { status: trouble === undefined ? 200 : 503, type: plain, body: `${trouble ?? 'ok'}\n` };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Readonly<Record<string, () => Promise<Answer>>>,
): Promise<void> {
  const answer = await answerTo(request, answers);
  response.setHeader('Content-Type', answer.type);
  response.setHeader('Content-Length', Buffer.byteLength(answer.body));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (answer.status === 405) response.setHeader('Allow', 'GET, HEAD');
  // What the request carries would have to be read before the next one of the connection.
  if (request.method !== 'GET') response.setHeader('Connection', 'close');
  response.writeHead(answer.status);
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

async function answerTo(
  { method, url = '' }: IncomingMessage,
  answers: Readonly<Record<string, () => Promise<Answer>>>,
): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: plain, body: 'only GET and HEAD\n' };
  const path = url.split('?', 1)[0] as string;
  const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (answer === undefined) return { status: 404, type: plain, body: `${Object.keys(answers).join(', ')}\n` };
  try {
    return await answer();
  } catch {
    return { status: 500, type: plain, body: 'this should not happen, please report it\n' };
  }
}

/** One answer for all who ask while it is made and for `keptMs` after that. */
function keptFor(keptMs: number, make: () => Promise<string>): () => Promise<Buffer> {
  let kept: { readonly text: Promise<Buffer>; until: number } | undefined;
  return () => {
    if (kept !== undefined && performance.now() < kept.until) return kept.text;
    const made = { text: make().then((text) => Buffer.from(text)), until: Number.POSITIVE_INFINITY };
    kept = made;
    made.text.then(
      () => {
        made.until = performance.now() + keptMs;
      },
      () => {
        made.until = 0;
      },
    );
    return made.text;
  };
}

function started(server: Server, listen: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(listen, error)));
    server.listen(listen, resolve);
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another process listens there; stop it, or choose another port';
    case 'EACCES':
      return 'this user may not listen there; choose a port from 1024 on';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address; leave the host out for all that it has';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host cannot be looked up; give its address';
    default:
      return message;
  }
}
