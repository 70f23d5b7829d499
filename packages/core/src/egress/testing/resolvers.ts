import type { IncomingHttpHeaders } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { type DnsMessage, decodeMessage, encodeMessage } from '@zoneproof/dns';
import { certificatePem, keyPem } from './localhost-certificate.ts';

export interface TestResolver {
  readonly port: number;
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** `seen` as TXT of whatever is asked. */
export function seen(query: DnsMessage, more: Partial<DnsMessage> = {}): Uint8Array {
  const [question] = query.questions;
  const answers = question
    ? [{ name: question.name, type: 'TXT' as const, ttl: 60, data: ['seen', question.name] }]
    : [];
  return encodeMessage({ id: query.id, response: true, ra: true, questions: query.questions, answers, ...more });
}

/** A message with its length before it. */
export function framed(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
}

/** A resolver over TLS: each query of each connection goes to `answer`. */
export function serveDot(
  answer: (query: DnsMessage, socket: TLSSocket) => void,
  alpn: readonly string[] = ['dot'],
): Promise<TestResolver & { protocols: (string | false | null)[] }> {
  const protocols: (string | false | null)[] = [];
  const options = { cert: certificatePem, key: keyPem, ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }) };
  const server = createTlsServer(options, (socket) => {
    protocols.push(socket.alpnProtocol);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE();
        const query = decodeMessage(received.subarray(2, end));
        received = received.subarray(end);
        answer(query, socket);
      }
    });
  });
  server.on('tlsClientError', () => undefined);
  return listen(server).then((resolver) => ({ ...resolver, protocols }));
}

export interface DohRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly version: string;
  readonly query: DnsMessage;
}

export interface DohAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

/** A resolver over HTTPS, HTTP/2 alone or HTTP/1.1 as well; `answer` may keep silent. */
export function serveDoh(
  answer: (request: DohRequest) => DohAnswer | undefined,
  { allowHTTP1 = true }: { readonly allowHTTP1?: boolean } = {},
): Promise<TestResolver & { readonly url: string }> {
  const server = createSecureServer({ cert: certificatePem, key: keyPem, allowHTTP1 }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const query = decodeMessage(Buffer.concat(parts));
      const { method, url: path, headers, httpVersion: version } = request;
      const reply = answer({ method, path, headers, version, query });
      if (reply === undefined) return;
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/dns-message', ...reply.headers });
      response.end(reply.body);
    });
  });
  server.on('sessionError', () => undefined);
  return listen(server).then((resolver) => ({ ...resolver, url: `https://127.0.0.1:${resolver.port}/dns-query` }));
}

async function listen(server: Server): Promise<TestResolver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
