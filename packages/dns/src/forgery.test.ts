import { type DnsMessage, encodeMessage, toDnsName } from '@zoneproof/dns';
import { answerTo, ask, closeServers, failure, framed, heapUsed, question, serve } from './testing/scripted-server.ts';

afterEach(closeServers);

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
