import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { get } from 'node:https';
import { exchange, toDnsName } from '@zoneproof/dns';
import { createEgress, type Egress, type EgressOptions } from './index.ts';
import { rootPem } from './testing/localhost-certificate.ts';
import { serveHttp, serveHttps, serveTcp, type TestServer } from './testing/servers.ts';

const open: { close(): Promise<void> }[] = [];
let allowed = true;
/** How many questions are answered with yes before the right is lost. */
let lostAfter = Number.POSITIVE_INFINITY;

function beforeSend(): void {
  if (allowed && lostAfter-- > 0) return;
  allowed = false;
  throw new Error('the lease is lost');
}

function egressWith(options: EgressOptions = {}): Egress {
  const egress = createEgress({ beforeSend, ...options });
  open.push(egress);
  return egress;
}

async function started<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}

beforeEach(() => {
  allowed = true;
  lostAfter = Number.POSITIVE_INFINITY;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const denied = (what: string | RegExp) => ({ kind: 'denied', sent: false, message: expect.stringMatching(what) });

async function counted(): Promise<TestServer & { requests(): number }> {
  let count = 0;
  const server = await started(
    serveHttp((_request, response) => {
      count++;
      response.end('ok');
    }),
  );
  return { ...server, requests: () => count };
}

test('a request whose right to be sent is lost while its connection is made is not sent', async () => {
  const server = await counted();
  const egress = egressWith();
  // Asked when it comes, by the dispatcher (undici is loaded on the way: twice), and when it is connected.
  lostAfter = 3;
  const error = await egress.http({ method: 'POST', url: server.url, body: 'x' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject(denied(/^POST http:\S+: the lease is lost$/));
  expect([server.connections(), server.requests()]).toEqual([1, 0]);
});

test('nor is one on a connection that is kept, nor by fetch, nor with a caBundle of its own', async () => {
  const server = await counted();
  const egress = egressWith();
  const bundled = egress.withCaBundle(rootPem);
  await egress.http({ method: 'GET', url: server.url });
  await bundled.http({ method: 'GET', url: server.url });
  allowed = false;
  await expect(egress.http({ method: 'GET', url: server.url })).rejects.toMatchObject(denied('the lease is lost'));
  await expect(egress.fetch(server.url)).rejects.toMatchObject(denied('the lease is lost'));
  await expect(bundled.http({ method: 'GET', url: server.url })).rejects.toMatchObject(denied('the lease is lost'));
  expect(() => egress.dispatcher.dispatch({ origin: server.url, path: '/', method: 'GET' }, {})).toThrow(
    'lease is lost',
  );
  expect(server.requests()).toBe(2);
});

test('an SDK on node:https is asked for each request, also where it would keep its connection', async () => {
  let requests = 0;
  const server = await started(
    serveHttps((_request, response) => {
      requests++;
      response.end('ok');
    }),
  );
  const { httpsAgent } = egressWith({ caBundle: rootPem });
  const ask = () =>
    new Promise<string>((resolve) => {
      get(server.url, { agent: httpsAgent }, (response) => response.resume().on('end', () => resolve('ok'))).on(
        'error',
        ({ message }) => resolve(message),
      );
    });
  expect(await ask()).toBe('ok');
  allowed = false;
  expect([await ask(), requests]).toEqual(['the lease is lost', 1]);
});

describe('a DNS message', () => {
  const question = { name: toDnsName('a.test'), type: 'A' } as const;
  const how = (egress: Egress) =>
    ({ transport: egress.dns, signal: new AbortController().signal, rd: false, timeoutMs: 2_000 }) as const;

  test('over UDP', async () => {
    const socket = createSocket('udp4');
    const seen: Buffer[] = [];
    socket.on('message', (message) => seen.push(message)).bind(0, '127.0.0.1');
    await once(socket, 'listening');
    allowed = false;
    const asked = exchange(question, socket.address(), how(egressWith()));
    await expect(asked).rejects.toMatchObject(denied('the lease is lost'));
    socket.close();
    expect(seen).toEqual([]);
  });

  test('over TCP, where the right is lost while the connection is made', async () => {
    let octets = 0;
    const server = await started(
      serveTcp((socket) => void socket.on('data', (chunk) => (octets += chunk.length)).on('error', () => undefined)),
    );
    const { hostname, port } = new URL(server.url);
    const { signal } = new AbortController();
    allowed = false;
    const asked = egressWith().dns.tcp({ address: hostname, port: Number(port) }, Buffer.alloc(20), {
      timeoutMs: 2_000,
      signal,
    });
    await expect(asked).rejects.toMatchObject(denied('the lease is lost'));
    expect([server.connections(), octets]).toEqual([1, 0]);
  });
});
