import { request as httpsRequest } from 'node:https';
import { mapTransport, refusingTransport } from '@zoneproof/dns';
import {
  createEgress,
  type Egress,
  EgressError,
  type EgressOptions,
  isAddressDenied,
  refuseAllEgress,
} from './index.ts';
import { rootPem } from './testing/localhost-certificate.ts';
import { serveHttp, serveHttps, serveProxy, serveTcp, type TestServer } from './testing/servers.ts';

const open: { close(): Promise<void> }[] = [];

function egressWith(options: EgressOptions = {}): Egress {
  const egress = createEgress(options);
  open.push(egress);
  return egress;
}

async function started(server: Promise<TestServer>): Promise<TestServer> {
  open.push(await server);
  return server;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function failure(promise: Promise<unknown>): Promise<EgressError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw new Error(`expected an EgressError, got ${error}`);
  return error;
}

const text = (body: Uint8Array) => Buffer.from(body).toString();

describe('http', () => {
  test('sends method, headers and body, and reads status, headers and body', async () => {
    const server = await started(
      serveHttp((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () => {
          response.writeHead(201, { 'X-One': 'a', 'Set-Cookie': ['b=1', 'c=2'] });
          response.end(`${request.method} ${request.url} ${request.headers['x-test']} ${Buffer.concat(parts)}`);
        });
      }),
    );
    const answer = await egressWith().http({
      method: 'POST',
      url: `${server.url}/path?q=1`,
      headers: { 'x-test': 'yes' },
      body: 'body',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['x-one']).toBe('a');
    expect(answer.headers['set-cookie']).toEqual(['b=1', 'c=2']);
    expect(text(answer.body)).toBe('POST /path?q=1 yes body');
  });

  test('names the program unless the request does', async () => {
    const server = await started(serveHttp((request, response) => response.end(request.headers['user-agent'])));
    const egress = egressWith({ userAgent: 'zoneproof/1.2' });
    expect(text((await egress.http({ method: 'GET', url: server.url })).body)).toBe('zoneproof/1.2');
    const headers = { 'user-agent': 'other' };
    expect(text((await egress.http({ method: 'GET', url: server.url, headers })).body)).toBe('other');
  });

  test('keeps the connection for the next request', async () => {
    const server = await started(serveHttp((_request, response) => response.end('ok')));
    const egress = egressWith();
    for (let i = 0; i < 5; i++) await egress.http({ method: 'GET', url: server.url });
    expect(server.connections()).toBe(1);
  });

  test('a redirect is an answer', async () => {
    const server = await started(
      serveHttp((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()),
    );
    const answer = await egressWith().http({ method: 'GET', url: server.url });
    expect(answer.status).toBe(302);
  });

  test.each([
    ['announced', true],
    ['not announced', false],
  ])('stops reading a body above the cap, its length %s', async (_title, announced) => {
    const server = await started(
      serveHttp((_request, response) => {
        if (announced) response.setHeader('content-length', '5000');
        response.write('x'.repeat(2500));
        response.end('x'.repeat(2500));
      }),
    );
    const egress = egressWith({ maxBytes: 1000 });
    const error = await failure(egress.http({ method: 'GET', url: server.url }));
    expect(error).toMatchObject({ kind: 'too-large', sent: true });
    expect(error.message).toContain('1000 octets');
    expect((await egress.http({ method: 'GET', url: server.url, maxBytes: 5000 })).body).toHaveLength(5000);
  });

  test('times out as a whole, also while the body trickles', async () => {
    const server = await started(
      serveHttp((_request, response) => {
        response.write('a');
        const drip = setInterval(() => response.write('a'), 10);
        response.on('close', () => clearInterval(drip));
      }),
    );
    const error = await failure(egressWith().http({ method: 'GET', url: server.url, timeoutMs: 80 }));
    expect(error).toMatchObject({ kind: 'timeout', sent: true });
    expect(error.message).toBe(`GET ${server.url}/: no whole answer within 0.08 s`);
  });

  test('a connection that is closed after the request was read is reset and sent', async () => {
    const server = await started(serveTcp((socket) => socket.once('data', () => socket.destroy())));
    const error = await failure(egressWith().http({ method: 'POST', url: server.url, body: 'x' }));
    expect(error).toMatchObject({ kind: 'reset', sent: true });
  });

  test('a connection that is closed in the middle of the body is reset and sent', async () => {
    const server = await started(
      serveTcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'))),
    );
    const error = await failure(egressWith().http({ method: 'GET', url: server.url }));
    expect(error).toMatchObject({ kind: 'reset', sent: true });
  });

  test('a port where nothing listens is refused and not sent', async () => {
    const server = await serveTcp(() => undefined);
    await server.close();
    const error = await failure(egressWith().http({ method: 'POST', url: server.url, body: 'x' }));
    expect(error).toMatchObject({ kind: 'refused', sent: false });
    expect(error.message).toContain(`127.0.0.1:${server.port} refuses connections`);
  });

  test('a connection that is reset before TLS is up has sent nothing', async () => {
    const server = await started(serveTcp((socket) => socket.destroy()));
    const url = `https://127.0.0.1:${server.port}`;
    const error = await failure(egressWith().http({ method: 'POST', url, body: 'x' }));
    expect(error).toMatchObject({ kind: 'reset', sent: false });
  });

  test('a name that does not exist', async () => {
    const error = await failure(egressWith().http({ method: 'GET', url: 'http://does-not-exist.invalid/' }));
    // Without any resolver the system says EAI_AGAIN instead.
    expect(['name-not-found', 'unreachable']).toContain(error.kind);
    expect(error.sent).toBe(false);
  });

  test('what answers in something else than HTTP', async () => {
    const server = await started(serveTcp((socket) => socket.once('data', () => socket.end('220 mail ready\r\n'))));
    const error = await failure(egressWith().http({ method: 'GET', url: server.url }));
    expect(error.kind).toBe('reset');
    expect(error.message).toContain('does not answer in HTTP');
  });

  test('an aborted signal sends nothing', async () => {
    const server = await started(serveHttp((_request, response) => response.end()));
    const error = await failure(egressWith().http({ method: 'GET', url: server.url, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ kind: 'aborted', sent: false });
    expect(server.connections()).toBe(0);
  });

  test('a signal that fires while the connection is made ends the wait at once, and nothing is sent', async () => {
    // Accepts the connection and never answers the TLS greeting.
    const server = await started(serveTcp(() => undefined));
    const stop = new AbortController();
    const request = egressWith().http({
      method: 'POST',
      url: `https://127.0.0.1:${server.port}`,
      signal: stop.signal,
      body: 'x',
    });
    setTimeout(() => stop.abort(), 30);
    expect(await failure(request)).toMatchObject({ kind: 'aborted', sent: false });
  });

  test('a signal that fires while the answer is awaited: sent', async () => {
    const stop = new AbortController();
    const server = await started(serveHttp(() => stop.abort()));
    const error = await failure(egressWith().http({ method: 'POST', url: server.url, signal: stop.signal, body: 'x' }));
    expect(error).toMatchObject({ kind: 'aborted', sent: true });
  });

  test.each(['ftp://127.0.0.1/', 'not a url', 'file:///etc/passwd'])('%s is refused', async (url) => {
    expect(await failure(egressWith().http({ method: 'GET', url }))).toMatchObject({ kind: 'denied', sent: false });
  });

  test('no query string and no password gets into a message', async () => {
    const server = await serveTcp(() => undefined);
    await server.close();
    const url = `http://user:hunter2@127.0.0.1:${server.port}/zones?token=hunter2`;
    const error = await failure(egressWith().http({ method: 'GET', url }));
    expect(error.message).toContain('/zones');
    expect(error.message).not.toContain('hunter2');
  });

  test('after close nothing goes out', async () => {
    const server = await started(serveHttp((_request, response) => response.end()));
    const egress = createEgress();
    await egress.http({ method: 'GET', url: server.url });
    await egress.close();
    expect(await failure(egress.http({ method: 'GET', url: server.url }))).toMatchObject({
      kind: 'aborted',
      sent: false,
    });
  });
});

describe('trust', () => {
  test('an unknown root is refused with what to do; caBundle makes it known', async () => {
    const server = await started(serveHttps((_request, response) => response.end('secret place')));
    const egress = egressWith();
    const error = await failure(egress.http({ method: 'GET', url: server.url }));
    expect(error).toMatchObject({ kind: 'tls', sent: false });
    expect(error.message).toContain('caBundle');

    const trusting = egress.withCaBundle(rootPem);
    expect(text((await trusting.http({ method: 'GET', url: server.url })).body)).toBe('secret place');
    expect(egress.withCaBundle(rootPem)).toBe(trusting);
    expect(text((await egressWith({ caBundle: rootPem }).http({ method: 'GET', url: server.url })).body)).toBe(
      'secret place',
    );
    expect((await failure(egress.http({ method: 'GET', url: server.url }))).kind).toBe('tls');
  });

  test('the environment cannot switch the check off', async () => {
    const server = await started(serveHttps((_request, response) => response.end('secret place')));
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect((await failure(egressWith().http({ method: 'GET', url: server.url }))).kind).toBe('tls');
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  test('a certificate for other names', async () => {
    const server = await started(serveHttps((_request, response) => response.end()));
    const egress = egressWith({ caBundle: rootPem });
    const error = await failure(egress.http({ method: 'GET', url: `https://other.localhost:${server.port}/` }));
    // Some systems do not resolve names below localhost.
    if (error.kind === 'tls') expect(error.message).toContain('for other names');
    else expect(error.kind).toBe('name-not-found');
  });

  test.each([
    ['no certificate at all', 'hello', 'holds no certificate'],
    [
      'a broken one',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'certificate 1 of 1 cannot be read',
    ],
  ])('a bundle with %s is an error', (_title, pem, message) => {
    expect(() => createEgress({ caBundle: pem })).toThrow(message);
    expect(() => egressWith().withCaBundle(pem)).toThrow(message);
  });
});

describe('address rule', () => {
  const noLoopback = (address: string) =>
    address.startsWith('127.') || address === '::1' ? 'it is loopback' : undefined;

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433'])(
    '%s is denied, and no connection is made',
    async (host) => {
      const server = await started(serveHttp((_request, response) => response.end()));
      const egress = egressWith({ addressRule: noLoopback });
      const url = `http://${host}:${server.port}/`;
      const error = await failure(egress.http({ method: 'GET', url }));
      expect(error).toMatchObject({ kind: 'denied', sent: false });
      expect(error.message).toContain('it is loopback');
      await expect(egress.fetch(url)).rejects.toThrow(EgressError);
      expect(server.connections()).toBe(0);
    },
  );

  test('is asked about the address that a name stands for', async () => {
    const asked: [string, string][] = [];
    const server = await started(serveHttp((_request, response) => response.end()));
    const addressRule = (address: string, host: string) => {
      asked.push([address, host]);
      return undefined;
    };
    await egressWith({ addressRule }).http({ method: 'GET', url: `http://localhost:${server.port}/` });
    expect(asked).toContainEqual(['127.0.0.1', 'localhost']);
  });

  test('a name that stands for something else at its next lookup (DNS rebinding) is judged by each lookup anew', async () => {
    const server = await started(serveHttp((_request, response) => response.end('ok')));
    const answers = ['127.0.0.1', '127.0.0.2'];
    const egress = egressWith({
      lookup: (_host, _options, callback) => callback(null, [{ address: answers.shift() ?? '127.0.0.2', family: 4 }]),
      addressRule: (address) => (address === '127.0.0.2' ? 'it is inside' : undefined),
    });
    const get = (port: number) => egress.http({ method: 'GET', url: `http://rebinding.test:${port}/` });
    expect(text((await get(server.port)).body)).toBe('ok');
    // Another port, so that no connection is kept from before.
    const error = await failure(get(1));
    expect(error).toMatchObject({ kind: 'denied', sent: false });
    expect(error.message).toContain('rebinding.test (127.0.0.2) may not be connected to: it is inside');
    expect(answers).toEqual([]);
  });

  test('of several addresses only those are tried that the rule allows', async () => {
    const server = await started(serveHttp((_request, response) => response.end('ok')));
    const tried: string[] = [];
    const egress = egressWith({
      lookup: (_host, _options, callback) =>
        callback(
          null,
          ['::ffff:7f00:2', '::1', '127.0.0.1'].map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      addressRule: (address) => {
        tried.push(address);
        return address === '127.0.0.1' ? undefined : 'it is inside';
      },
    });
    expect((await egress.http({ method: 'GET', url: `http://many.test:${server.port}/` })).status).toBe(200);
    // What a mapped address stands for is what is judged.
    expect(tried).toEqual(['127.0.0.2', '::1', '127.0.0.1']);
  });

  test('its refusal is found again below what other layers make of it', async () => {
    const egress = egressWith({ addressRule: noLoopback });
    const http = await failure(egress.http({ method: 'GET', url: 'http://127.0.0.1:1/' }));
    const call = { timeoutMs: 100, signal: new AbortController().signal };
    const dns = await egress.dns.tcp({ address: '127.0.0.1', port: 53 }, new Uint8Array(12), call).catch((e) => e);
    for (const error of [http, dns, new Error('told on', { cause: http })]) expect(isAddressDenied(error)).toBe(true);
    for (const error of [
      undefined,
      new Error('x'),
      await failure(egressWith().http({ method: 'GET', url: 'ftp://a' })),
    ])
      expect(isAddressDenied(error)).toBe(false);
  });

  test('holds for DNS servers and for the agent of node:https', async () => {
    const server = await started(serveHttps((_request, response) => response.end()));
    const egress = egressWith({ addressRule: noLoopback, caBundle: rootPem });
    const call = { timeoutMs: 100, signal: new AbortController().signal };
    const dnsServer = { address: '127.0.0.1', port: 53 };
    await expect(egress.dns.tcp(dnsServer, new Uint8Array(12), call)).rejects.toMatchObject({ kind: 'denied' });
    await expect(egress.dns.udp(dnsServer, new Uint8Array(12), () => true, call)).rejects.toMatchObject({
      kind: 'denied',
    });
    for (const host of ['127.0.0.1', 'localhost'])
      await expect(overHttps(egress, host, server.port)).rejects.toThrow('it is loopback');
    expect(server.connections()).toBe(0);
  });
});

describe('what SDKs get', () => {
  test('fetch trusts the bundle, does not follow redirects, and takes a Request', async () => {
    const server = await started(
      serveHttps((request, response) => {
        if (request.url === '/moved') response.writeHead(302, { location: '/other' }).end();
        else response.end(`${request.method} ${request.headers['x-test']} ${request.headers['user-agent']}`);
      }),
    );
    const { fetch } = egressWith({ caBundle: rootPem });
    expect((await fetch(`${server.url}/moved`)).status).toBe(302);
    const init = { method: 'POST', headers: { 'x-test': '1' }, body: 'x' };
    expect(await (await fetch(`${server.url}/a`, init)).text()).toBe('POST 1 zoneproof');
    expect(await (await fetch(new Request(`${server.url}/a`, init))).text()).toBe('POST 1 zoneproof');
    await expect(fetch(server.url, { signal: AbortSignal.abort() })).rejects.toThrow(/stopped|abort/);
  });

  test('the https agent trusts the bundle', async () => {
    const server = await started(serveHttps((_request, response) => response.end('hello')));
    const egress = egressWith();
    await expect(overHttps(egress, 'localhost', server.port)).rejects.toThrow('unable to verify');
    expect(await overHttps(egress.withCaBundle(rootPem), 'localhost', server.port)).toBe('hello');
  });
});

describe('proxy', () => {
  // Names below test.invalid resolve nowhere: only the proxy can have reached them.
  test('http, fetch and the https agent go through it, with its user and password', async () => {
    const target = await started(serveHttps((_request, response) => response.end('behind')));
    const seen: string[] = [];
    const proxy = await started(
      serveProxy((request) => {
        seen.push(`${request.url} ${request.headers['proxy-authorization']}`);
        return 200;
      }),
    );
    const httpsProxy = `http://us%40er:pass@127.0.0.1:${proxy.port}`;
    const egress = egressWith({ caBundle: rootPem, proxy: { httpsProxy } });
    // The target's certificate is for localhost, which would be reached directly.
    const authority = `api.test.invalid:${target.port}`;
    const error = await failure(egress.http({ method: 'GET', url: `https://${authority}/` }));
    expect(error).toMatchObject({ kind: 'tls', sent: false });
    expect(error.message).toContain('for other names');
    await expect(egress.fetch(`https://${authority}/`)).rejects.toThrow(EgressError);
    await expect(overHttps(egress, 'api.test.invalid', target.port)).rejects.toThrow('altnames');
    expect(await overHttps(egress, 'api.test.invalid', target.port, 'localhost')).toBe('behind');
    const expected = `${authority} Basic ${Buffer.from('us@er:pass').toString('base64')}`;
    expect(new Set(seen)).toEqual(new Set([expected]));
  });

  test.each([407, 403])(
    'a proxy that answers %d: refused, not sent, and no password in the message',
    async (status) => {
      const proxy = await started(serveProxy(() => status));
      const httpsProxy = `http://user:hunter2@127.0.0.1:${proxy.port}`;
      const egress = egressWith({ proxy: { httpsProxy } });
      const error = await failure(egress.http({ method: 'GET', url: 'https://api.test.invalid/' }));
      expect(error).toMatchObject({ kind: 'refused', sent: false });
      expect(error.message).toContain(`the proxy 127.0.0.1:${proxy.port}`);
      expect(error.message).not.toContain('hunter2');
      await expect(overHttps(egress, 'api.test.invalid', 443)).rejects.toThrow('the proxy');
    },
  );

  test('NO_PROXY is connected to directly', async () => {
    const server = await started(serveHttp((_request, response) => response.end('direct')));
    const egress = egressWith({ proxy: { httpProxy: 'http://127.0.0.1:1', noProxy: 'localhost' } });
    expect(text((await egress.http({ method: 'GET', url: `http://localhost:${server.port}/` })).body)).toBe('direct');
  });

  test('behind a proxy, which resolves names, the rule is asked about the name', async () => {
    const proxy = await started(serveProxy(() => 200));
    const addressRule = (address: string, host: string) =>
      address === '' && host === 'metadata.test' ? 'it is a metadata service' : undefined;
    const egress = egressWith({ addressRule, proxy: { httpProxy: proxy.url, httpsProxy: proxy.url } });
    const error = await failure(egress.http({ method: 'GET', url: 'http://metadata.test/latest' }));
    expect(error).toMatchObject({ kind: 'denied', sent: false });
    await expect(overHttps(egress, 'metadata.test', 443)).rejects.toThrow('it is a metadata service');
    expect(proxy.connections()).toBe(0);
  });

  test('a target that is an address is held against the rule also behind a proxy', async () => {
    const proxy = await started(serveProxy(() => 200));
    const addressRule = (address: string) => (address === '169.254.169.254' ? 'it is link-local' : undefined);
    const egress = egressWith({ addressRule, proxy: { httpProxy: proxy.url } });
    const error = await failure(egress.http({ method: 'GET', url: 'http://169.254.169.254/latest' }));
    expect(error).toMatchObject({ kind: 'denied', sent: false });
    expect(proxy.connections()).toBe(0);
  });
});

describe('refuseAllEgress', () => {
  test('refuses every way and opens nothing', async () => {
    const server = await started(serveHttps((_request, response) => response.end()));
    const egress = refuseAllEgress();
    expect(await failure(egress.http({ method: 'GET', url: server.url }))).toMatchObject({
      kind: 'denied',
      sent: false,
    });
    await expect(egress.fetch(server.url)).rejects.toThrow(EgressError);
    await expect(overHttps(egress, '127.0.0.1', server.port)).rejects.toThrow('may not use the network');
    expect(() => egress.dispatcher.dispatch({ method: 'GET', path: '/', origin: server.url }, {})).toThrow(
      'may not use the network',
    );
    const call = { timeoutMs: 100, signal: new AbortController().signal };
    await expect(egress.dns.tcp({ address: '127.0.0.1', port: 53 }, new Uint8Array(12), call)).rejects.toMatchObject({
      kind: 'denied',
    });
    expect(egress.withCaBundle(rootPem)).toBe(egress);
    await egress.close();
    expect(server.connections()).toBe(0);
  });
});

test('DNS goes through the transport that was given', async () => {
  const egress = egressWith({ dns: mapTransport(refusingTransport(), new Map()) });
  const call = { timeoutMs: 100, signal: new AbortController().signal };
  await expect(egress.dns.tcp({ address: '127.0.0.1', port: 53 }, new Uint8Array(12), call)).rejects.toMatchObject({
    kind: 'denied',
  });
});

function overHttps(egress: Egress, host: string, port: number, servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host, port, agent: egress.httpsAgent, ...(servername && { servername }) },
      (response) => {
        let body = '';
        response.on('data', (part) => {
          body += part;
        });
        response.on('end', () => resolve(body));
      },
    );
    request.on('error', reject);
    request.end();
  });
}
