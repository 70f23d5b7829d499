import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { getEventListeners, getMaxListeners, once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  type AnyDnsServer,
  DnsExchangeError,
  type DnsMessage,
  type DnsServer,
  type DnsTransport,
  decodeMessage,
  type ExchangeOptions,
  encodeMessage,
  exchange,
  mapTransport,
  refusingTransport,
  systemTransport,
  toDnsName,
} from '@zoneproof/dns';

const question = { name: toDnsName('_acme-challenge.example.test'), type: 'TXT' } as const;
const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const options = (more: Partial<ExchangeOptions> = {}): ExchangeOptions => ({
  transport: systemTransport,
  signal: never,
  rd: false,
  timeoutMs: 2000,
  ...more,
});
const ask = (server: DnsServer, more: Partial<ExchangeOptions> = {}) => exchange(question, server, options(more));
const failure = async (promise: Promise<unknown>): Promise<DnsExchangeError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DnsExchangeError)) throw new Error(`no DnsExchangeError but ${error}`);
  return error;
};

const answerTo = (query: DnsMessage, more: Partial<DnsMessage> = {}): Uint8Array =>
  encodeMessage({
    id: query.id,
    response: true,
    aa: true,
    questions: query.questions,
    answers: [{ ...question, ttl: 60, data: ['seen'] }],
    ...more,
  });

const answerNaming = (query: DnsMessage): Uint8Array => {
  const name = query.questions[0]?.name ?? question.name;
  return answerTo(query, { answers: [{ name, type: 'TXT', ttl: 60, data: [name] }] });
};

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

describe('letter case (0x20)', () => {
  const mixed = (bits: number) => ({ random: (length: number) => new Uint8Array(length).fill(bits) });
  const spelt = (query: DnsMessage) => query.questions[0]?.spelling;

  test('the name goes out in a case drawn at random, and comes decoded in lower case', async () => {
    const spellings = new Set<string | undefined>();
    const server = await serve({
      udp: (query, reply) => {
        spellings.add(spelt(query));
        reply(answerTo(query));
      },
    });
    for (let asked = 0; asked < 10; asked++) {
      const { message, udpProblem } = await ask(server);
      expect(message.questions[0]?.name).toBe(question.name);
      expect(udpProblem).toBeUndefined();
    }
    expect(spellings.size).toBeGreaterThan(8);
    await ask(server, mixed(0b1010_1010));
    expect(spellings).toContain('_AcMe-cHaLlEnGe.eXaMpLe.tEsT');
  });

  test('a server that gives it back in lower case is asked over TCP, where case does not matter', async () => {
    const lower = (query: DnsMessage) => answerTo(query, { questions: [question] });
    const server = await serve({
      udp: (query, reply) => reply(lower(query)),
      tcp: (query, socket) => socket.end(framed(lower(query))),
    });
    const answer = await ask(server, mixed(0xff));
    expect(answer).toMatchObject({ transport: 'tcp', udpProblem: 'case', message: { answers: [{ data: ['seen'] }] } });
  });

  test('an answer that guessed id and port but not the case changes nothing', async () => {
    const forged = (query: DnsMessage) =>
      answerTo(query, { questions: [question], answers: [{ ...question, ttl: 60, data: ['forged'] }] });
    const server = await serve({
      udp: (query, reply) => {
        reply(forged(query));
        reply(answerTo(query));
      },
      tcp: (query, socket) => socket.end(framed(answerTo(query))),
    });
    expect((await ask(server, mixed(0xff))).message.answers).toMatchObject([{ data: ['seen'] }]);
  });

  test('without TCP the error says what UDP did', async () => {
    const server = await serve({
      udp: (query, reply) => reply(answerTo(query, { questions: [question] })),
      tcp: (_query, socket) => socket.end(),
    });
    const error = await failure(ask(server, mixed(0xff)));
    expect(error).toMatchObject({ kind: 'reset', transport: 'tcp', sent: true });
    expect(error.problem).toBe(
      'the server closed the connection before its answer; ' +
        'udp: it does not give the question back in its letter case (0x20)',
    );
  });
});

describe('a flood of forged answers', () => {
  const forgeries: [string, (query: DnsMessage, at: number) => Uint8Array][] = [
    ['other ids', (query, at) => answerTo({ ...query, id: query.id ^ (1 + (at % 65_535)) })],
    [
      'other questions',
      (query, at) => answerTo(query, { questions: [{ name: toDnsName(`x${at}.test`), type: 'TXT' }] }),
    ],
    [
      'octets that are no message',
      (query) => Buffer.concat([answerTo(query).subarray(0, 12), Buffer.alloc(1200, 0xc1)]),
    ],
  ];

  test.each(forgeries)('%s: the answer behind it is taken, and what was dropped is counted', async (_title, forge) => {
    const server = await serve({
      udp: async (query, reply) => {
        for (let at = 0; at < 2000; at++) {
          reply(forge(query, at));
          // In small bursts: what the receiver's buffer cannot hold would test nobody.
          if (at % 20 === 0) await new Promise(setImmediate);
        }
        reply(answerTo(query));
      },
    });
    const { message, dropped } = await ask(server, { timeoutMs: 10_000, tries: 1 });
    expect(message.answers).toMatchObject([{ data: ['seen'] }]);
    expect(dropped).toBeGreaterThan(1500);
  });

  test('that does not end costs its time-out and no memory', async () => {
    const wire = encodeMessage({ id: 1, response: true, questions: [question] });
    const server = await serve({
      udp: async (query, reply) => {
        wire.set([(query.id >> 8) ^ 1, query.id & 0xff]);
        while (!over) {
          for (let sent = 0; sent < 20; sent++) reply(wire);
          await new Promise(setImmediate);
        }
      },
      tcp: (_query, socket) => socket.end(),
    });
    let over = false;
    const before = heapUsed();
    const startedAt = performance.now();
    const error = await failure(ask(server, { timeoutMs: 300 })).finally(() => {
      over = true;
    });
    const heap = heapUsed();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(error.problem).toMatch(
      /udp: no answer to 2 queries \(\d{3,} datagrams dropped, the last was another message id\)/,
    );
    expect(heap - before).toBeLessThan(4e6);
  });
});

describe('an encrypted server', () => {
  const tls = { kind: 'tls', host: 'dns.example', port: 853 } as const;
  const https = { kind: 'https', url: 'https://dns.example/dns-query' } as const;

  test.each([tls, https])('$kind goes through the transport that can do it, and only there', async (server) => {
    const calls: unknown[] = [];
    const transport: DnsTransport = {
      ...refusingTransport(),
      encrypted: async (asked, wire, { timeoutMs }) => {
        const query = decodeMessage(wire);
        calls.push([asked, query.id === 0, query.questions[0]?.spelling, query.ad, timeoutMs]);
        return answerTo(query);
      },
    };
    const through = mapTransport(transport, new Map());
    const answer = await exchange(question, server, options({ transport: through, rd: true, ad: true, random: one }));
    expect(answer).toMatchObject({ transport: server.kind, message: { answers: [{ data: ['seen'] }] } });
    expect(calls).toEqual([[server, server.kind === 'https', undefined, true, 4000]]);
  });

  test.each<[string, AnyDnsServer, string]>([
    ['tls', tls, 'tls://dns.example:853 (tls): plain DNS only goes out here'],
    ['https', https, 'https://dns.example/dns-query (https): plain DNS only goes out here'],
  ])('%s is refused where plain DNS only goes out', async (_kind, server, message) => {
    const error = await failure(exchange(question, server, options()));
    expect(error).toMatchObject({ kind: 'denied', sent: false, message });
  });

  test('another id or another question is no answer', async () => {
    const answering = (more: Partial<DnsMessage>): DnsTransport => ({
      ...refusingTransport(),
      encrypted: async (_server, wire) => answerTo({ ...decodeMessage(wire), ...more }),
    });
    const other = { questions: [{ name: toDnsName('other.test'), type: 'TXT' as const }] };
    for (const more of [{ id: 7 }, other])
      expect(await failure(exchange(question, https, options({ transport: answering(more) })))).toMatchObject({
        kind: 'malformed',
        transport: 'https',
      });
  });

  const one = (length: number) => new Uint8Array(length).fill(1);
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

  test('a flood of forged datagrams does not prolong the wait', async () => {
    const server = await serve({
      udp: (query, reply) => {
        const flood = setInterval(() => reply(answerTo({ ...query, id: query.id ^ 1 })), 2);
        closers.unshift(async () => clearInterval(flood));
      },
      tcp: () => undefined,
    });
    const startedAt = performance.now();
    await failure(ask(server, { timeoutMs: 60 }));
    expect(performance.now() - startedAt).toBeLessThan(3 * 60 + 500);
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
    for (const close of closers.splice(0)) await close();
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

/** Sockets and timers that keep this process alive, once those that are closed are gone (two turns of the loop). */
async function resources(): Promise<string[]> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return process.getActiveResourcesInfo().filter((name) => /^(?:UDP|TCP|Timeout)/.test(name));
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

interface Handlers {
  readonly udp?: (query: DnsMessage, reply: (wire: Uint8Array) => void, from: RemoteInfo) => void;
  readonly tcp?: (query: DnsMessage, socket: Socket) => void;
}

/** A server on one loopback port, UDP and TCP, that does what `handlers` do. */
async function serve(handlers: Handlers): Promise<DnsServer> {
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

async function bound(): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => socket.close(resolve)));
  return socket;
}

function framed(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
}
