import { isDeepStrictEqual } from 'node:util';
import { DnsExchangeError, type DnsTransport, decodeMessage, encodeMessage, exchange, toDnsName } from '@zoneproof/dns';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';

const options = { what: 'answers to a query', seed: 5452, seconds: 1 };
const seconds = fuzzSeconds(options);
const question = { name: toDnsName('_acme-challenge.example.test'), type: 'TXT' } as const;
const server = { address: '192.0.2.1', port: 53 };
const { signal } = new AbortController();

test(
  'an answer that is taken over UDP has the id, the question and the letter case of the query, whatever else came',
  async () => {
    let [taken, refused] = [0, 0];
    const inputs = await fuzz(options, async (random) => {
      const sent: Uint8Array[] = [];
      const octets = (length: number) => Uint8Array.from({ length }, () => random(256));
      const transport: DnsTransport = {
        async udp(_server, query, accept, { timeoutMs }) {
          sent.push(query);
          for (let datagrams = random(6); datagrams > 0; datagrams--) {
            const datagram = forgery(query, random);
            if (accept(datagram)) return datagram;
          }
          throw new DnsExchangeError('timeout', server, 'udp', `no answer within ${timeoutMs} ms`, { sent: true });
        },
        async tcp(_server, query) {
          return forgery(query, random);
        },
      };
      try {
        const answer = await exchange(question, server, { transport, signal, rd: false, random: octets });
        taken += 1;
        if (answer.transport !== 'udp') return;
        const query = decodeMessage(sent.at(-1) as Uint8Array);
        const { message } = answer;
        // The question may be missing in an error alone.
        const isOurs =
          message.questions.length > 0
            ? isDeepStrictEqual(message.questions, query.questions)
            : message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN';
        if (message.id !== query.id || !message.response || !isOurs) throw new Error('it is no answer to the query');
      } catch (error) {
        if (!(error instanceof DnsExchangeError)) throw error;
        refused += 1;
      }
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
    expect(taken).toBeGreaterThan(inputs / 20);
    expect(refused).toBeGreaterThan(inputs / 20);
  },
  seconds * 1000 + 30_000,
);

/** The right answer, or one with something of it changed. */
function forgery(query: Uint8Array, random: Random): Uint8Array {
  const { id, questions } = decodeMessage(query);
  const rcode = (['NOERROR', 'NXDOMAIN', 'SERVFAIL', 'FORMERR'] as const)[random(4)] ?? 'NOERROR';
  const answers = [{ ...question, ttl: 60, data: ['seen'] }];
  const wire = encodeMessage({ id, response: true, rcode, tc: random(8) === 0, questions, answers });
  switch (random(6)) {
    case 0:
      return encodeMessage({ id, response: true, rcode, questions: [question] });
    case 1:
      return encodeMessage({ id, response: true, rcode });
    case 2:
      return wire.subarray(0, random(wire.length));
    case 3:
      return wire;
    default:
      for (let changes = 1 + random(3); changes > 0; changes--) wire[random(Math.min(wire.length, 50))] = random(256);
      return wire;
  }
}
