import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { certificatePem, keyPem } from './localhost-certificate.ts';

export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT` or https. */
  readonly url: string;
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

export function serveHttp(listener: RequestListener): Promise<TestServer> {
  return listen(createHttpServer(listener), 'http');
}

export function serveHttps(listener: RequestListener): Promise<TestServer> {
  return listen(createHttpsServer({ cert: certificatePem, key: keyPem }, listener), 'https');
}

/** A server that does with each connection what `onSocket` says. */
export function serveTcp(onSocket: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(onSocket), 'http');
}

/** An HTTP proxy that knows CONNECT only. `answer` decides the status of a tunnel; `seen` gets each request. */
export function serveProxy(seen: (request: IncomingMessage) => number): Promise<TestServer> {
  const server = createHttpServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const status = seen(request);
    client.on('error', () => undefined);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const port = Number(request.url?.split(':').at(-1));
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  return listen(server, 'http');
}

async function listen(server: Server, scheme: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
