import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { defaultHttp, maxBodyBytes } from './http.ts';

const http = defaultHttp();
let server: Server;

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  await http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('sends method, path with query, headers and body; reads status, headers and body', async () => {
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(201, {
      'X-Seen': `${request.method} ${request.url} ${request.headers['x-a']} ${body}`,
      Link: ['<a>', '<b>'],
    });
    response.end('answer');
  });
  const answer = await http({ method: 'POST', url: `${url}/p?q=1`, headers: { 'x-a': 'b' }, body: 'hello' });
  expect(answer.status).toBe(201);
  expect(answer.headers).toMatchObject({ 'x-seen': 'POST /p?q=1 b hello', link: ['<a>', '<b>'] });
  expect(Buffer.from(answer.body).toString()).toBe('answer');
});

test('connections are kept and used again', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  for (let i = 0; i < 5; i++) await http({ method: 'GET', url });
  // undici may open a second one while the first is still being tidied up.
  expect(ports.size).toBeLessThanOrEqual(2);
});

test('a redirect is an answer', async () => {
  const url = await serve((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  expect(await http({ method: 'GET', url })).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
});

test('a body over 1 MiB is refused while it is still coming', async () => {
  let sent = 0;
  const url = await serve((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  await expect(http({ method: 'GET', url })).rejects.toThrow(`more than ${maxBodyBytes} octets`);
  expect(sent).toBeLessThan(100 * maxBodyBytes);
});

test('the signal ends a request that gets no answer', async () => {
  const url = await serve(() => {});
  const abort = new AbortController();
  const answer = http({ method: 'GET', url, signal: abort.signal });
  server.once('request', () => abort.abort(new Error('enough')));
  await expect(answer).rejects.toThrow('enough');
});
