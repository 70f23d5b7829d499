import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import { freePort } from '../ports.ts';
import type { ApiServerHome } from './api-server.ts';
import { type ClusterUser, credentialsFor, writeKubeconfig } from './users.ts';
import { Watches } from './watches.ts';

export interface ProxiedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly watch: boolean;
}

export type RequestMatch = (request: ProxiedRequest) => boolean;

/** A proxy before the API server. Without a switch everything passes. */
export interface Faults {
  readonly url: string;
  /** A kubeconfig as of the cluster, that goes through the proxy. */
  kubeconfigFor(user: ClusterUser): Promise<string>;
  /** The next `n` requests (that match) are answered with this status and do not reach the API server. */
  failNext(
    n: number,
    fault: { readonly status: number; readonly retryAfterSeconds?: number; readonly match?: RequestMatch },
  ): void;
  /** Breaks the connections of the watches that run now. */
  cutWatches(): void;
  /** While on, watches are open, and begin, but nothing comes; what was held back comes when it is switched off. */
  stallWatches(on: boolean): void;
  /** The API server carries the next `n` requests (that match) out; then the connection breaks in place of an answer. */
  loseAnswers(n: number, match?: RequestMatch): void;
  /** How many of the faults ordered by `failNext` and `loseAnswers` are still to come. */
  outstanding(): number;
  close(): Promise<void>;
}

interface Order {
  remaining: number;
  readonly match: RequestMatch;
  /** Absent: the answer is lost. */
  readonly answer?: { readonly status: number; readonly retryAfterSeconds?: number };
}

export async function startFaults(home: ApiServerHome): Promise<Faults> {
  const orders: Order[] = [];
  const watches = new Watches();
  const plain = new Agent({ keepAlive: true, ca: home.tls.rootPem });
  // The proxy ends TLS, so a client certificate is its own to show: who it is, the client tells by a token.
  const byToken = new Map<string, Agent>();

  const server = createServer(await serverTls(home), (incoming, answer) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const seen = { method, path, watch: /[?&]watch=(true|1)\b/.test(path) };
    const order = orders.find(({ remaining, match }) => remaining > 0 && match(seen));
    if (order !== undefined) order.remaining--;
    if (order?.answer !== undefined) return refuse(incoming, answer, order.answer);

    const { authorization, ...others } = incoming.headers;
    const agent = byToken.get(authorization ?? '');
    const headers = agent === undefined ? incoming.headers : others;
    const target = { host: '127.0.0.1', port: home.port, method, path, headers, agent: agent ?? plain };
    const sent = request(target, (source) => {
      if (order !== undefined) return source.on('close', () => incoming.socket.destroy()).resume();
      answer.writeHead(source.statusCode ?? 502, source.headers);
      if (!seen.watch) source.pipe(answer);
      else watches.add(source, answer);
      return source.on('close', () => source.complete || seen.watch || answer.destroy());
    });
    sent.on('error', () => incoming.socket.destroy());
    answer.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  const port = await freePort();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `https://127.0.0.1:${port}`;

  return {
    url,
    kubeconfigFor: async (user) => {
      let credentials = await credentialsFor(home, user);
      if ('certificate' in credentials) {
        const token = randomBytes(16).toString('hex');
        const { certificate: cert, key } = credentials;
        byToken.set(`Bearer ${token}`, new Agent({ keepAlive: true, ca: home.tls.rootPem, cert, key }));
        credentials = { token };
      }
      return writeKubeconfig(home.directory, { url, rootPem: home.tls.rootPem }, user, credentials);
    },
    failNext: (remaining, { match = () => true, ...answer }) => void orders.push({ remaining, match, answer }),
    loseAnswers: (remaining, match = () => true) => void orders.push({ remaining, match }),
    cutWatches: () => watches.cut(),
    stallWatches: (on) => watches.stall(on),
    outstanding: () => orders.reduce((sum, { remaining }) => sum + remaining, 0),
    close: async () => {
      for (const agent of [plain, ...byToken.values()]) agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serverTls(home: ApiServerHome): Promise<{ readonly cert: Buffer; readonly key: Buffer }> {
  return { cert: await readFile(home.tls.certificateFile), key: await readFile(home.tls.keyFile) };
}

/** Reasons by status: https://github.com/kubernetes/apimachinery, pkg/apis/meta/v1/types.go, StatusReason */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function refuse(incoming: IncomingMessage, answer: ServerResponse, fault: NonNullable<Order['answer']>): void {
  const { status: code, retryAfterSeconds } = fault;
  incoming.resume();
  if (retryAfterSeconds !== undefined) answer.setHeader('retry-after', retryAfterSeconds);
  answer.writeHead(code, { 'content-type': 'application/json' });
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `the farm's proxy answers ${code}`,
    reason: reasons[code] ?? 'Unknown',
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
    code,
  };
  answer.end(JSON.stringify(status));
}
