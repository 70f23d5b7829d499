import { randomBytes } from 'node:crypto';
import {
  type AnyDnsServer,
  DnsExchangeError,
  type DnsMessage,
  type Exchange,
  exchange,
  refusingTransport,
  toDnsName,
} from '@zoneproof/dns';
import { createEgress, type Egress, type EgressOptions } from './index.ts';
import { rootPem } from './testing/localhost-certificate.ts';
import { framed, seen, serveDoh, serveDot } from './testing/resolvers.ts';
import { serveProxy, serveTcp } from './testing/servers.ts';

const name = toDnsName('example.test');
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function started<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}

function egressWith(options: EgressOptions = {}): Egress {
  const egress = createEgress({ caBundle: rootPem, ...options });
  open.push(egress);
  return egress;
}

interface Asking {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly name?: string;
}

function ask(egress: Egress, server: AnyDnsServer, { timeoutMs = 2500, ...more }: Asking = {}): Promise<Exchange> {
  const { signal = new AbortController().signal } = more;
  const question = { name: more.name === undefined ? name : toDnsName(more.name), type: 'TXT' } as const;
  return exchange(question, server, { transport: egress.dns, signal, rd: true, tries: 1, timeoutMs });
}

async function failure(promise: Promise<unknown>): Promise<DnsExchangeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DnsExchangeError)) throw new Error(`expected a DnsExchangeError, got ${error}`);
  return error;
}

const dot = (port: number, host = '127.0.0.1') => ({ kind: 'tls', host, port }) as const;
const doh = (url: string) => ({ kind: 'https', url }) as const;
const texts = ({ message }: Exchange) => message.answers.map(({ data }) => data);

describe('over TLS (RFC 7858)', () => {
  test.each([
    ['an address', '127.0.0.1'],
    ['a name', 'localhost'],
  ])('asks a resolver given by %s that its certificate has, with ALPN dot', async (_title, host) => {
    const queries: DnsMessage[] = [];
    const server = await started(
      serveDot((query, socket) => {
        queries.push(query);
        socket.write(framed(seen(query)));
      }),
    );
    const answer = await ask(egressWith(), dot(server.port, host));
    expect(answer).toMatchObject({ transport: 'tls', message: { answers: [{ data: ['seen', 'example.test'] }] } });
    expect(answer.udpProblem).toBeUndefined();
    expect(queries).toMatchObject([{ rd: true, questions: [{ name, type: 'TXT' }], edns: { udpSize: 1232 } }]);
    expect(server.protocols).toEqual(['dot']);
  });

  test('a resolver that knows no ALPN will do', async () => {
    const server = await started(serveDot((query, socket) => socket.write(framed(seen(query))), []));
    expect(texts(await ask(egressWith(), dot(server.port)))).toEqual([['seen', 'example.test']]);
  });

  test('one that speaks something else on that port will not', async () => {
    const server = await started(serveDot((query, socket) => socket.write(framed(seen(query))), ['http/1.1']));
    expect(await failure(ask(egressWith(), dot(server.port)))).toMatchObject({ kind: 'tls', sent: false });
  });

  test('many queries share a connection, and their answers may come in any order', async () => {
    const held: [DnsMessage, (wire: Buffer) => void][] = [];
    const server = await started(
      serveDot((query, socket) => {
        held.push([query, (wire) => socket.write(wire)]);
        if (held.length === 100) for (const [late, write] of held.reverse()) write(framed(seen(late)));
      }),
    );
    const egress = egressWith();
    const names = Array.from({ length: 100 }, (_, at) => `h${at}.test`);
    const answers = await Promise.all(names.map((one) => ask(egress, dot(server.port), { name: one })));
    expect(answers.flatMap(texts)).toEqual(names.map((one) => ['seen', one]));
    expect(server.connections()).toBe(1);
    expect(new Set(held.map(([{ id }]) => id)).size).toBe(100);
  });

  test('the next query finds the connection still there, and opens another when the server has closed it', async () => {
    const server = await started(serveDot((query, socket) => socket.write(framed(seen(query)))));
    const egress = egressWith();
    for (let asked = 0; asked < 5; asked++) await ask(egress, dot(server.port));
    expect(server.connections()).toBe(1);

    const hasty = await started(serveDot((query, socket) => socket.end(framed(seen(query)))));
    for (let asked = 0; asked < 5; asked++) await ask(egress, dot(hasty.port));
    expect(hasty.connections()).toBe(5);
  });

  test('a query on a connection that the server closes at that moment is asked once more on another', async () => {
    let asked = 0;
    const server = await started(
      serveDot((query, socket) => {
        asked += 1;
        if (asked === 2) socket.destroy();
        else socket.write(framed(seen(query)));
      }),
    );
    const egress = egressWith();
    await ask(egress, dot(server.port));
    expect(texts(await ask(egress, dot(server.port)))).toEqual([['seen', 'example.test']]);
    expect(asked).toBe(3);
  });

  test('one that says nothing any more is not asked twice', async () => {
    let connection = 0;
    const silent = new Set<unknown>();
    const server = await started(
      serveDot((query, socket) => {
        if (connection++ === 0) silent.add(socket);
        if (!silent.has(socket)) socket.write(framed(seen(query)));
      }),
    );
    const egress = egressWith();
    expect(await failure(ask(egress, dot(server.port), { timeoutMs: 100 }))).toMatchObject({ kind: 'timeout' });
    expect(texts(await ask(egress, dot(server.port)))).toEqual([['seen', 'example.test']]);
    expect(server.connections()).toBe(2);
  });

  test('octets that nobody asked for are passed over, and cost no memory', async () => {
    const server = await started(
      serveDot((query, socket) => {
        for (let at = 0; at < 200; at++) socket.write(framed(randomBytes(at * 300)));
        socket.write(framed(new Uint8Array(0)));
        socket.write(framed(seen({ ...query, id: query.id ^ 1 })));
        socket.write(framed(seen(query)));
      }),
    );
    // Random octets begin with our id once in 65,536 times; the answer to it then is malformed.
    expect(texts(await ask(egressWith(), dot(server.port)))).toEqual([['seen', 'example.test']]);
  });

  test.each<[string, string, RegExp, (query: DnsMessage, socket: import('node:tls').TLSSocket) => void]>([
    [
      'an answer that is cut off',
      'reset',
      /closed the connection after 20 of 72 octets/,
      (query, socket) => socket.end(framed(seen(query)).subarray(0, 22)),
    ],
    [
      'an answer to another question',
      'malformed',
      /another question/,
      (query, socket) =>
        socket.write(framed(seen(query, { questions: [{ name: toDnsName('other.test'), type: 'TXT' }] }))),
    ],
    [
      'no message',
      'malformed',
      /not a DNS message/,
      (query, socket) => socket.write(framed(Buffer.from([query.id >> 8, query.id & 255, 0x80]))),
    ],
    ['silence', 'timeout', /no answer within 100 ms/, () => undefined],
  ])('%s is told', async (_title, kind, text, answer) => {
    const server = await started(serveDot(answer));
    const error = await failure(ask(egressWith(), dot(server.port), { timeoutMs: kind === 'timeout' ? 100 : 2500 }));
    expect(error).toMatchObject({ kind, transport: 'tls', sent: true });
    expect(error.message).toMatch(text);
    expect(error.message).toContain(`tls://127.0.0.1:${server.port} (tls): `);
  });

  test('a certificate of a CA that is not known here: nothing is sent, and the error says what to do', async () => {
    let queries = 0;
    const server = await started(serveDot(() => queries++));
    const egress = createEgress();
    open.push(egress);
    const error = await failure(ask(egress, dot(server.port)));
    expect(error).toMatchObject({ kind: 'tls', sent: false });
    expect(error.message).toBe(
      `tls://127.0.0.1:${server.port} (tls): the certificate of 127.0.0.1 is not signed by a CA known here; ` +
        'add its CA with NODE_EXTRA_CA_CERTS=FILE',
    );
    expect(queries).toBe(0);
  });

  test('a certificate for others: nothing is sent', async () => {
    let queries = 0;
    const server = await started(serveDot(() => queries++, ['dot']));
    const proxied = await started(forwardFrom('127.0.0.2', server.port));
    const error = await failure(ask(egressWith(), dot(proxied.port, '127.0.0.2')));
    expect(error).toMatchObject({ kind: 'tls', sent: false });
    expect(error.message).toContain('the certificate of 127.0.0.2 is for other names');
    expect(queries).toBe(0);
  });

  test('the address rule is asked about an address, and about those of a name', async () => {
    const server = await started(serveDot((query, socket) => socket.write(framed(seen(query)))));
    const egress = egressWith({ addressRule: (address) => (address === '192.0.2.1' ? undefined : 'not public') });
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await failure(ask(egress, dot(server.port, host)))).toMatchObject({ kind: 'denied', sent: false });
    expect(server.connections()).toBe(0);
  });

  test('nothing listens, or something that is no TLS', async () => {
    const plain = await started(serveTcp((socket) => void socket.on('error', () => undefined).end('220 hello\r\n')));
    expect(await failure(ask(egressWith(), dot(plain.port)))).toMatchObject({ kind: 'tls', sent: false });
    await plain.close();
    expect(await failure(ask(egressWith(), dot(plain.port)))).toMatchObject({ kind: 'refused', sent: false });
  });

  test('giving up while the connection is made closes it, and so does the time-out', async () => {
    const closed: Promise<unknown>[] = [];
    const mute = await started(
      serveTcp((socket) => {
        closed.push(new Promise((resolve) => socket.on('close', resolve)));
        socket.on('error', () => undefined).resume();
        controller.abort();
      }),
    );
    const controller = new AbortController();
    const egress = egressWith();
    const given = await failure(ask(egress, dot(mute.port), { signal: controller.signal }));
    expect(given).toMatchObject({ kind: 'aborted', sent: false });
    const late = await failure(ask(egress, dot(mute.port), { timeoutMs: 100 }));
    expect(late).toMatchObject({ kind: 'timeout', sent: false, problem: 'no connection within 100 ms' });
    await Promise.all(closed);
    expect(closed).toHaveLength(2);
  });

  test('a closed egress asks nobody, and frees the connection it had', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await started(
      serveDot((query, socket) => {
        closed.push(new Promise((resolve) => socket.on('close', resolve)));
        socket.write(framed(seen(query)));
      }),
    );
    const egress = egressWith();
    await ask(egress, dot(server.port));
    await egress.close();
    await Promise.all(closed);
    expect(await failure(ask(egress, dot(server.port)))).toMatchObject({ kind: 'denied', sent: false });
  });
});

describe('over HTTPS (RFC 8484)', () => {
  test.each([
    ['HTTP/2 alone', false, '2.0'],
    ['HTTP/1.1 as well', true, '2.0'],
  ])('a resolver with %s gets a POST with id 0', async (_title, allowHTTP1, version) => {
    const requests: unknown[] = [];
    const server = await started(
      serveDoh(
        ({ query, headers, ...request }) => {
          const { accept, 'content-type': type } = headers;
          requests.push({ ...request, accept, type, id: query.id, rd: query.rd });
          return { body: seen(query) };
        },
        { allowHTTP1 },
      ),
    );
    const answer = await ask(egressWith(), doh(server.url));
    expect(answer).toMatchObject({ transport: 'https', message: { answers: [{ data: ['seen', 'example.test'] }] } });
    const type = 'application/dns-message';
    expect(requests).toEqual([{ method: 'POST', path: '/dns-query', accept: type, type, version, id: 0, rd: true }]);
  });

  test('many questions at once share few connections', async () => {
    const server = await started(serveDoh(({ query }) => ({ body: seen(query) })));
    const egress = egressWith();
    const names = Array.from({ length: 100 }, (_, at) => `h${at}.test`);
    const answers = await Promise.all(names.map((one) => ask(egress, doh(server.url), { name: one })));
    expect(answers.flatMap(texts)).toEqual(names.map((one) => ['seen', one]));
    expect(server.connections()).toBeLessThan(17);
  });

  test('through the proxy of the environment', async () => {
    const server = await started(serveDoh(({ query }) => ({ body: seen(query) })));
    const asked: string[] = [];
    const proxy = await started(
      serveProxy((request) => {
        asked.push(request.url ?? '');
        return 200;
      }),
    );
    const egress = egressWith({ proxy: { httpsProxy: proxy.url } });
    // The name leads nowhere: it is the proxy that connects, to the port it is told.
    const url = `https://dns.example:${server.port}/dns-query`;
    expect(await failure(ask(egress, doh(url)))).toMatchObject({ kind: 'tls' });
    expect(asked).toEqual([`dns.example:${server.port}`]);
  });

  const type = 'application/dns-message';
  test.each<
    [
      string,
      string,
      RegExp,
      (query: DnsMessage) => { status?: number; headers?: Record<string, string>; body: Uint8Array | string },
    ]
  >([
    ['404', 'malformed', /answers HTTP 404; check the path of the URL/, () => ({ status: 404, body: '' })],
    [
      'a redirect',
      'malformed',
      /answers HTTP 302; check the path/,
      () => ({ status: 302, headers: { location: '/x' }, body: '' }),
    ],
    ['503', 'malformed', /answers HTTP 503$/, () => ({ status: 503, body: '' })],
    [
      'a web page',
      'malformed',
      /answers text\/html instead of application\/dns-message/,
      () => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>' }),
    ],
    ['an empty body', 'malformed', /an empty body/, () => ({ body: '' })],
    ['more than 65 535 octets', 'malformed', /larger than the 65535 octets/, () => ({ body: Buffer.alloc(70_000) })],
    ['octets that are no message', 'malformed', /not a DNS message/, () => ({ body: Buffer.alloc(9) })],
    ['another id', 'malformed', /another message id/, (query) => ({ body: seen({ ...query, id: 7 }) })],
    [
      'another question',
      'malformed',
      /another question/,
      (query) => ({ body: seen(query, { questions: [{ name: toDnsName('other.test'), type: 'TXT' }] }) }),
    ],
  ])('%s is told', async (_title, kind, text, answer) => {
    const server = await started(serveDoh(({ query }) => answer(query)));
    const error = await failure(ask(egressWith(), doh(server.url)));
    expect(error).toMatchObject({ kind, transport: 'https', sent: true });
    expect(error.message).toMatch(text);
    expect(error.message.startsWith(`${server.url} (https): `)).toBe(true);
    expect(error.message).not.toContain('POST');
  });

  test('a media type with parameters, in capitals, is the same one', async () => {
    const headers = { 'content-type': 'Application/DNS-Message; x=y' };
    const server = await started(serveDoh(({ query }) => ({ headers, body: seen(query) })));
    expect(texts(await ask(egressWith(), doh(server.url)))).toEqual([['seen', 'example.test']]);
    expect(headers['content-type'].toLowerCase()).toContain(type);
  });

  test('silence, an abort, a CA that is not known, an address that is not allowed', async () => {
    const server = await started(serveDoh(() => undefined));
    const silence = await failure(ask(egressWith(), doh(server.url), { timeoutMs: 100 }));
    expect(silence).toMatchObject({ kind: 'timeout', transport: 'https' });
    const signal = AbortSignal.timeout(50);
    expect(await failure(ask(egressWith(), doh(server.url), { signal }))).toMatchObject({ kind: 'aborted' });
    const untrusting = createEgress();
    open.push(untrusting);
    const unknown = await failure(ask(untrusting, doh(server.url)));
    expect(unknown.message).toBe(
      `${server.url} (https): the certificate of 127.0.0.1:${server.port} is not signed by a CA known here; ` +
        'add its CA with NODE_EXTRA_CA_CERTS=FILE',
    );
    const narrow = egressWith({ addressRule: () => 'not public' });
    expect(await failure(ask(narrow, doh(server.url)))).toMatchObject({ kind: 'denied', sent: false });
  });
});

test('an egress whose DNS is switched off asks no encrypted resolver either', async () => {
  const server = await started(serveDot(() => undefined));
  const egress = egressWith({ dns: refusingTransport() });
  for (const listed of [dot(server.port), doh(`https://127.0.0.1:${server.port}/dns-query`)])
    expect(await failure(ask(egress, listed))).toMatchObject({ kind: 'denied', sent: false });
  expect(server.connections()).toBe(0);
});

/** The same server under another loopback address. */
async function forwardFrom(address: string, port: number): Promise<{ port: number; close(): Promise<void> }> {
  const { connect, createServer } = await import('node:net');
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as import('node:net').AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
