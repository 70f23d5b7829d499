import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type DnsMessage, refusingTransport, toDnsName } from '@zoneproof/dns';
import { createEgress } from './index.ts';
import { ask, closeAll, doh, dot, egressWith, failure, name, started, texts } from './testing/encrypted-world.ts';
import { framed, seen, serveDot } from './testing/resolvers.ts';
import { serveTcp } from './testing/servers.ts';

afterEach(closeAll);

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
        for (let at = 0; at < 200; at++) {
          const octets = randomBytes(2 + at * 300);
          // What begins with our id is an answer to us, however malformed.
          octets.writeUInt16BE(query.id ^ 2);
          socket.write(framed(octets));
        }
        socket.write(framed(new Uint8Array(0)));
        socket.write(framed(seen({ ...query, id: query.id ^ 1 })));
        socket.write(framed(seen(query)));
      }),
    );
    expect(texts(await ask(egressWith(), dot(server.port)))).toEqual([['seen', 'example.test']]);
  });

  test.each<[string, string, RegExp, (query: DnsMessage, socket: TLSSocket) => void]>([
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
    const egress = await started(Promise.resolve(createEgress()));
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

test('an egress whose DNS is switched off asks no encrypted resolver either', async () => {
  const server = await started(serveDot(() => undefined));
  const egress = egressWith({ dns: refusingTransport() });
  for (const listed of [dot(server.port), doh(`https://127.0.0.1:${server.port}/dns-query`)])
    expect(await failure(ask(egress, listed))).toMatchObject({ kind: 'denied', sent: false });
  expect(server.connections()).toBe(0);
});

/** The same server under another loopback address. */
async function forwardFrom(address: string, port: number): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
