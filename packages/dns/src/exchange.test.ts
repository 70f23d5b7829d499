import { getEventListeners, getMaxListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import {
  type DnsExchangeError,
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  exchange,
  mapTransport,
  refusingTransport,
  systemTransport,
  toDnsName,
} from '@zoneproof/dns';
import {
  answerNaming,
  answerTo,
  ask,
  bound,
  closeServers,
  failure,
  framed,
  options,
  question,
  resources,
  serve,
} from './testing/scripted-server.ts';

afterEach(closeServers);

describe('over UDP', () => {
  test('asks with EDNS 1232 and RD as told, and gives the answer', async () => {
    const queries: DnsMessage[] = [];
    const server = await serve({
      udp: (query, reply) => reply(answerTo(queries[queries.push(query) - 1] as DnsMessage)),
    });
    const answer = await ask(server);
    expect(answer).toMatchObject({ transport: 'udp', message: { aa: true, answers: [{ data: ['seen'] }] } });
    expect(answer.rttMs).toBeGreaterThan(0);
    expect(decodeMessage(answer.wire)).toEqual(answer.message);
    await ask(server, { rd: true });
    expect(queries).toMatchObject([
      { rd: false, edns: { udpSize: 1232 }, questions: [question] },
      { rd: true, edns: { udpSize: 1232 }, questions: [question] },
    ]);
  });

  test('queries that follow one another have an id and a port each', async () => {
    const seen = new Set<number>();
    const ports = new Set<number>();
    const server = await serve({
      udp: (query, reply, from) => {
        seen.add(query.id);
        ports.add(from.port);
        reply(answerTo(query));
      },
    });
    for (let asked = 0; asked < 40; asked++) await ask(server);
    expect(ports.size).toBeGreaterThan(30);
    expect(seen.size).toBeGreaterThan(35);
  });

  test('queries under way at once share a socket, 16 at most, and each gets its own answer', async () => {
    const heard: [query: DnsMessage, port: number, reply: (wire: Uint8Array) => void][] = [];
    const server = await serve({
      udp: (query, reply, from) => {
        heard.push([query, from.port, reply]);
        if (heard.length === 40) for (const [late, , answer] of heard.reverse()) answer(answerNaming(late));
      },
    });
    const before = await resources();
    const names = Array.from({ length: 40 }, (_, i) => toDnsName(`h${i}.example.test`));
    const asked = names.map((name) => exchange({ name, type: 'TXT' }, server, options({ timeoutMs: 5000 })));
    const answers = await Promise.all(asked);
    expect(answers.flatMap(({ message }) => message.answers.map(({ data }) => data))).toEqual(names.map((n) => [n]));
    const uses = new Map<number, number>();
    for (const [, port] of heard) uses.set(port, (uses.get(port) ?? 0) + 1);
    expect([...uses.values()].sort((a, b) => a - b)).toEqual([8, 16, 16]);
    expect(new Set(heard.map(([{ id }]) => id)).size).toBeGreaterThan(35);
    expect(await resources()).toEqual(before);
  });

  test('one that is given up leaves those beside it alone', async () => {
    const server = await serve({
      udp: (query, reply) => {
        if (query.questions[0]?.name === 'b.example.test') setImmediate(() => reply(answerNaming(query)));
        else stop.abort();
      },
    });
    const stop = new AbortController();
    const one = failure(
      exchange({ name: toDnsName('a.example.test'), type: 'TXT' }, server, options({ signal: stop.signal })),
    );
    const other = exchange({ name: toDnsName('b.example.test'), type: 'TXT' }, server, options());
    expect(await one).toMatchObject({ kind: 'aborted', sent: true });
    expect((await other).message.answers).toMatchObject([{ data: ['b.example.test'] }]);
  });

  test.each<[string, (query: DnsMessage) => Uint8Array]>([
    ['another id', (query) => answerTo({ ...query, id: query.id ^ 1 })],
    ['another name', (query) => answerTo(query, { questions: [{ name: toDnsName('example.test'), type: 'TXT' }] })],
    ['another type', (query) => answerTo(query, { questions: [{ ...question, type: 'A' }] })],
    ['another class', (query) => answerTo(query, { questions: [{ ...question, class: 'CH' }] })],
    ['two questions', (query) => answerTo(query, { questions: [question, question] })],
    ['no question', (query) => answerTo(query, { questions: [] })],
    ['another opcode', (query) => answerTo(query, { opcode: 'NOTIFY' })],
    ['the query sent back', (query) => encodeMessage(query)],
    ['no message', (query) => answerTo(query).subarray(0, 20)],
    ['nothing', () => new Uint8Array(0)],
  ])('a datagram with %s is dropped, and the right one behind it taken', async (_title, forge) => {
    const server = await serve({
      udp: (query, reply) => {
        reply(forge(query));
        reply(answerTo(query));
      },
    });
    expect((await ask(server)).message.answers).toMatchObject([{ data: ['seen'] }]);
  });

  test('a datagram from another port is dropped', async () => {
    const other = await bound();
    const server = await serve({
      udp: (query, reply, from) => {
        other.send(answerTo(query, { answers: [{ ...question, ttl: 60, data: ['forged'] }] }), from.port, from.address);
        setTimeout(() => reply(answerTo(query)), 30);
      },
    });
    expect((await ask(server)).message.answers).toMatchObject([{ data: ['seen'] }]);
  });

  test('a query that gets lost is asked again', async () => {
    let heard = 0;
    const server = await serve({ udp: (query, reply) => void (heard++ === 0 || reply(answerTo(query))) });
    expect((await ask(server, { timeoutMs: 300 })).transport).toBe('udp');
    expect(heard).toBe(2);
  });

  test.each(['FORMERR', 'NOTIMP', 'BADVERS'] as const)('%s with EDNS is asked once more without', async (rcode) => {
    const seen: boolean[] = [];
    const server = await serve({
      udp: (query, reply) => {
        seen.push(query.edns !== undefined);
        reply(query.edns ? answerTo(query, { rcode, answers: [], edns: query.edns }) : answerTo(query));
      },
    });
    expect((await ask(server)).message.rcode).toBe('NOERROR');
    expect(seen).toEqual([true, false]);
  });

  test('FORMERR may come without the question, and is the answer when it comes without EDNS too', async () => {
    const server = await serve({
      udp: (query, reply) => reply(encodeMessage({ id: query.id, response: true, rcode: 'FORMERR' })),
    });
    expect((await ask(server)).message.rcode).toBe('FORMERR');
  });

  test.each(['SERVFAIL', 'NXDOMAIN', 'REFUSED'] as const)('%s is an answer', async (rcode) => {
    const server = await serve({ udp: (query, reply) => reply(answerTo(query, { rcode, answers: [] })) });
    expect((await ask(server)).message.rcode).toBe(rcode);
  });
});

describe('over TCP', () => {
  test('an answer that is cut (TC) is fetched whole', async () => {
    const server = await serve({
      udp: (query, reply) => reply(answerTo(query, { tc: true, answers: [] })),
      tcp: (query, socket) => socket.end(framed(answerTo(query))),
    });
    expect(await ask(server)).toMatchObject({
      transport: 'tcp',
      udpProblem: 'truncated',
      message: { tc: false, answers: [{ data: ['seen'] }] },
    });
  });

  test('a server that is silent over UDP is asked over TCP', async () => {
    let heard = 0;
    const server = await serve({ udp: () => heard++, tcp: (query, socket) => socket.end(framed(answerTo(query))) });
    expect(await ask(server, { timeoutMs: 500 })).toMatchObject({ transport: 'tcp', udpProblem: 'silent' });
    expect(heard).toBe(2);
  });

  test('an answer that arrives octet by octet, with more behind it, is read', async () => {
    const server = await serve({
      tcp: async (query, socket) => {
        for (const octet of Buffer.concat([framed(answerTo(query)), Buffer.from('more')])) {
          if (socket.writable) socket.write(Uint8Array.of(octet));
          await new Promise(setImmediate);
        }
      },
    });
    expect((await ask(server, { tcp: true })).message.answers).toMatchObject([{ data: ['seen'] }]);
  });

  test('an answer of 65 535 octets is read', async () => {
    const data = Array.from({ length: 254 }, () => 'x'.repeat(255));
    const server = await serve({
      tcp: (query, socket) => socket.end(framed(answerTo(query, { answers: [{ ...question, ttl: 1, data }] }))),
    });
    const { wire } = await ask(server, { tcp: true });
    expect(wire.length).toBeGreaterThan(65_000);
  });

  test.each<[string, DnsExchangeError['kind'], RegExp, (query: DnsMessage, socket: Socket) => void]>([
    [
      'a half-sent answer',
      'timeout',
      /no answer within 100 ms/,
      (query, socket) => socket.write(framed(answerTo(query)).subarray(0, 30)),
    ],
    [
      'a length larger than the answer',
      'reset',
      /after 4 of 65535 octets/,
      (_query, socket) => socket.end(Buffer.from([255, 255, 1, 2, 3, 4])),
    ],
    [
      'a connection that closes at once',
      'reset',
      /closed the connection before its answer/,
      (_query, socket) => socket.end(),
    ],
    ['a connection that is reset', 'reset', /closed the connection/, (_query, socket) => socket.resetAndDestroy()],
    ['an empty answer', 'malformed', /not a DNS message/, (_query, socket) => socket.end(Buffer.from([0, 0]))],
    [
      'another id',
      'malformed',
      /another message id/,
      (query, socket) => socket.end(framed(answerTo({ ...query, id: query.id ^ 1 }))),
    ],
    [
      'another question',
      'malformed',
      /another question/,
      (query, socket) => socket.end(framed(answerTo(query, { questions: [{ ...question, type: 'A' }] }))),
    ],
    ['silence', 'timeout', /no answer within 100 ms/, () => undefined],
  ])('%s is told', async (_title, kind, text, tcp) => {
    const server = await serve({ tcp });
    const error = await failure(ask(server, { tcp: true, timeoutMs: kind === 'timeout' ? 100 : 2000 }));
    expect(error).toMatchObject({ kind, transport: 'tcp', server, sent: true });
    expect(error.message).toMatch(text);
    expect(error.message).toContain(`${server.address}:${server.port} (tcp)`);
  });
});

describe('bounds', () => {
  test('a server that never answers costs the tries and no more', async () => {
    const server = await serve({ udp: () => undefined, tcp: () => undefined });
    const startedAt = performance.now();
    const error = await failure(ask(server, { timeoutMs: 60 }));
    expect(performance.now() - startedAt).toBeLessThan(3 * 60 + 500);
    expect(error).toMatchObject({ kind: 'timeout', transport: 'tcp' });
    expect(error.message).toMatch(/udp: no answer to 2 queries/);
  });

  test('what was dropped is named', async () => {
    const server = await serve({
      udp: (query, reply) => reply(answerTo({ ...query, id: query.id ^ 1 })),
      tcp: () => undefined,
    });
    const { message } = await failure(ask(server, { timeoutMs: 60 }));
    expect(message).toMatch(/2 datagrams dropped, the last was another message id/);
  });

  test.each([{ tcp: false }, { tcp: true }])('aborting frees socket and timer at once: %o', async (how) => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const server = await serve({
      udp: () => controller.abort(),
      tcp: (_query, socket) => {
        closed.push(once(socket, 'close'));
        controller.abort();
      },
    });
    const before = await resources();
    const error = await failure(ask(server, { ...how, signal: controller.signal, timeoutMs: 60_000 }));
    expect(error).toMatchObject({ kind: 'aborted', sent: true });
    await Promise.all(closed);
    expect(await resources()).toEqual(before);
  });

  test.each([{ tcp: false }, { tcp: true }])('aborting while the socket is being opened frees it: %o', async (how) => {
    const server = await serve({});
    const before = await resources();
    const controller = new AbortController();
    const asked = failure(ask(server, { ...how, signal: controller.signal, timeoutMs: 60_000 }));
    controller.abort();
    expect(await asked).toMatchObject({ kind: 'aborted', sent: false });
    expect(await resources()).toEqual(before);
  });

  test('an aborted signal opens nothing', async () => {
    const server = await serve({});
    const before = await resources();
    expect(await failure(ask(server, { signal: AbortSignal.abort() }))).toMatchObject({ kind: 'aborted', sent: false });
    expect(await resources()).toEqual(before);
  });

  test('one signal serves many exchanges at once, and none leaves a listener behind', async () => {
    const server = await serve({ udp: (query, reply) => reply(answerTo(query)) });
    const { signal } = new AbortController();
    const exchanges = Array.from({ length: 60 }, () => ask(server, { signal }));
    const listeners = getEventListeners(signal, 'abort').length;
    await Promise.all(exchanges);
    expect(listeners).toBe(60);
    expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY); // else Node warns of a leak on stderr
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('servers that cannot be reached', () => {
  test('nothing listens: refused, over both', async () => {
    const server = await serve({});
    await closeServers();
    for (const tcp of [false, true]) expect(await failure(ask(server, { tcp }))).toMatchObject({ kind: 'refused' });
  });

  test.each([{ tcp: false }, { tcp: true }])('the system knows no way there: %o', async (how) => {
    // The broadcast address: no socket may connect to it unless it asked for that.
    const error = await failure(ask({ address: '255.255.255.255', port: 53 }, how));
    expect(error).toMatchObject({ kind: 'unreachable', sent: false });
    expect(error.message).toMatch(/no way to this address from here \(E[A-Z]+\)/);
  });

  test('a host name is no address', async () => {
    const error = await failure(ask({ address: 'ns1.example.test', port: 53 }));
    expect(error).toMatchObject({ kind: 'unreachable', sent: false });
    expect(error.message).toMatch(/by IP address, not by name/);
  });

  test.each([0, 65_536, Number.NaN])('%d is no port', async (port) => {
    const error = await failure(ask({ address: '127.0.0.1', port }));
    expect(error).toMatchObject({ kind: 'unreachable', sent: false });
  });

  test('a switched-off transport denies and opens nothing', async () => {
    const server = await serve({ udp: (query, reply) => reply(answerTo(query)) });
    const transport = mapTransport(refusingTransport(), new Map());
    expect(await failure(ask(server, { transport }))).toMatchObject({ kind: 'denied', transport: 'udp', sent: false });
    expect(await failure(ask(server, { transport, tcp: true }))).toMatchObject({ kind: 'denied', transport: 'tcp' });
  });

  test('a mapped transport reaches the server at its other address', async () => {
    const server = await serve({ udp: (query, reply) => reply(answerTo(query)) });
    const transport = mapTransport(systemTransport, new Map([['192.0.2.53', server]]));
    expect((await ask({ address: '192.0.2.53', port: 53 }, { transport })).message.aa).toBe(true);
  });
});
