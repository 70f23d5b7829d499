import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

export interface ApiDouble {
  readonly directory: string;
  readonly kubeconfig: string;
  /** Requests so far, as `METHOD path`. */
  readonly requests: readonly {
    readonly line: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[];
  /** Connections that were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** A server that answers by a function: for what a real API server does not do when it is asked to. */
export async function startApiDouble(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<ApiDouble> {
  const directory = await mkdtemp(join(tmpdir(), 'zoneproof-kube-'));
  const requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      answer(request, response, body);
    });
  });
  server.on('connection', () => {
    connections++;
  });
  const port = await listen(server);
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(join(directory, 'token'), 'token-1\n');
  await writeFile(
    kubeconfig,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'c', user: 'u', namespace: 'here' } }],
      clusters: [
        { name: 'c', cluster: { server: `http://127.0.0.1:${port}/prefix/`, 'insecure-skip-tls-verify': true } },
      ],
      users: [
        {
          name: 'u',
          user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile: join(directory, 'token') } } },
        },
      ],
    }),
  );
  return {
    directory,
    kubeconfig,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
