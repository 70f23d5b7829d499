import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  DnsExchangeError,
  type DnsMessage,
  type DnsServer,
  decodeMessage,
  type ExchangeOptions,
  encodeMessage,
  exchange,
  systemTransport,
  toDnsName,
} from '@zoneproof/dns';

export const question = { name: toDnsName('_acme-challenge.example.test'), type: 'TXT' } as const;
const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];

/** Ends every server of the test. */
export async function closeServers(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

export const options = (more: Partial<ExchangeOptions> = {}): ExchangeOptions => ({
  transport: systemTransport,
  signal: never,
  rd: false,
  timeoutMs: 2000,
  ...more,
});
export const ask = (server: DnsServer, more: Partial<ExchangeOptions> = {}) =>
  exchange(question, server, options(more));
export const failure = async (promise: Promise<unknown>): Promise<DnsExchangeError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DnsExchangeError)) throw new Error(`no DnsExchangeError but ${error}`);
  return error;
};

export const answerTo = (query: DnsMessage, more: Partial<DnsMessage> = {}): Uint8Array =>
  encodeMessage({
    id: query.id,
    response: true,
    aa: true,
    questions: query.questions,
    answers: [{ ...question, ttl: 60, data: ['seen'] }],
    ...more,
  });

export const answerNaming = (query: DnsMessage): Uint8Array => {
  const name = query.questions[0]?.name ?? question.name;
  return answerTo(query, { answers: [{ name, type: 'TXT', ttl: 60, data: [name] }] });
};

/** Sockets and timers that keep this process alive, once those that are closed are gone (two turns of the loop). */
export async function resources(): Promise<string[]> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return process.getActiveResourcesInfo().filter((name) => /^(?:UDP|TCP|Timeout)/.test(name));
}

export function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

export interface Handlers {
  readonly udp?: (query: DnsMessage, reply: (wire: Uint8Array) => void, from: RemoteInfo) => void;
  readonly tcp?: (query: DnsMessage, socket: Socket) => void;
}

/** A server on one loopback port, UDP and TCP, that does what `handlers` do. */
export async function serve(handlers: Handlers): Promise<DnsServer> {
  const udp = await bound();
  const { port } = udp.address();
  udp.on('message', (wire, from) =>
    handlers.udp?.(decodeMessage(wire), (answer) => udp.send(answer, from.port, from.address), from),
  );
  const sockets = new Set<Socket>();
  const tcp: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => handlers.tcp?.(decodeMessage(chunk.subarray(2)), socket));
  });
  const listening = await new Promise<boolean>((resolve) => {
    tcp.on('error', () => resolve(false));
    tcp.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!listening) return serve(handlers); // someone else has the TCP port of that number
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => tcp.close(resolve));
  });
  return { address: '127.0.0.1', port };
}

export async function bound(): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => socket.close(resolve)));
  return socket;
}

export function framed(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
}
