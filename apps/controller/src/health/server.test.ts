import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type ListenAddress, ListenAddressError, parseListenAddress } from './listen-address.ts';
import { type HealthOptions, type HealthServer, ListenError, serveHealth } from './server.ts';

const loopback = { host: '127.0.0.1', port: 0 };
const well: HealthOptions = {
  listen: loopback,
  live: () => undefined,
  ready: () => undefined,
  metrics: async () => 'up 1\n',
};
let open: (HealthServer | Server)[] = [];

afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

async function serve(options: Partial<HealthOptions> = {}) {
  const server = await serveHealth({ ...well, ...options });
  open.push(server);
  const { host, port } = server.address;
  return (path: string, init: RequestInit = {}) => fetch(`http://${host}:${port}${path}`, init);
}

test('the two homes of health are apart: what is not ready lives, and what is stuck says so', async () => {
  const get = await serve({ ready: () => 'starting' });
  expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 503]);
  const stuck = await serve({ live: () => 'there is work, and none of it has ended' });
  const answer = await stuck('/healthz?verbose');
  expect([answer.status, await answer.text()]).toEqual([503, 'there is work, and none of it has ended\n']);
});

test('the type of /metrics is that of the text format', async () => {
  const answer = await (await serve())('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await answer.text()).toBe('up 1\n');
});

test('a hundred who ask at once cost one scrape; one that failed is not kept, and its reason not told', async () => {
  let scrapes = 0;
  const get = await serve({
    metrics: async () => {
      scrapes++;
      if (scrapes === 1) throw new Error('hunter2');
      return `scrapes ${scrapes}\n`;
    },
  });
  const failed = await get('/metrics');
  expect([failed.status, await failed.text()]).toEqual([500, 'this should not happen, please report it\n']);
  const texts = await Promise.all(Array.from({ length: 25 }, async () => (await get('/metrics')).text()));
  expect(new Set(texts)).toEqual(new Set(['scrapes 2\n']));
});

test('only GET and HEAD, and what is sent along is not read', async () => {
  const get = await serve();
  const posted = await get('/metrics', { method: 'POST', body: 'x'.repeat(100_000) }).catch(() => undefined);
  if (posted !== undefined) expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const head = await get('/metrics', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', '']);
  expect((await get('/metrics/')).status).toBe(404);
  expect((await get('/__proto__')).status).toBe(404);
  expect((await get('/constructor')).status).toBe(404);
});

test('headers of any size are refused, and open connections do not hold up the end', async () => {
  const server = await serveHealth(well);
  const { port } = server.address;
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(9_000)}`));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  const idle = connect(port, '127.0.0.1');
  await new Promise((resolve) => idle.once('connect', resolve));
  const closed = new Promise((resolve) => idle.once('close', resolve));
  await Promise.all([server.close(), closed]);
});

test('an address in use is one plain sentence', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  open.push(other);
  const { port } = other.address() as AddressInfo;
  const error = await serveHealth({ ...well, listen: { host: '127.0.0.1', port } }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ListenError);
  expect((error as Error).message).toBe(
    `cannot listen at 127.0.0.1:${port}: another process listens there; stop it, or choose another port`,
  );
});

test('an address of somebody else is, too', async () => {
  await expect(serveHealth({ ...well, listen: { host: '192.0.2.1', port: 0 } })).rejects.toThrow(
    'cannot listen at 192.0.2.1:0: this machine does not have that address',
  );
});

test.each<[string, ListenAddress | undefined]>([
  ['127.0.0.1:9402', { host: '127.0.0.1', port: 9402 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  [':9402', { port: 9402 }],
  ['[::1]:9402', { host: '::1', port: 9402 }],
  ['9402', undefined],
  ['127.0.0.1', undefined],
  ['127.0.0.1:', undefined],
  ['127.0.0.1:99999', undefined],
  ['::1:9402', undefined],
  ['http://127.0.0.1:9402', undefined],
  ['', undefined],
])('%s', (text, address) => {
  if (address === undefined) expect(() => parseListenAddress(text)).toThrow(ListenAddressError);
  else expect(parseListenAddress(text)).toEqual(address);
});
