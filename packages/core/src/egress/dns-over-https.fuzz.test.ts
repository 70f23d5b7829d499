import { DnsExchangeError, type DnsTransport, encodeMessage, exchange, toDnsName } from '@zoneproof/dns';
import { fuzz, fuzzSeconds, type Random } from '@zoneproof/farm';
import { askOverHttps } from './dns-over-https.ts';
import type { HttpAnswer } from './index.ts';

const options = { what: 'answers over HTTPS', seed: 8484, seconds: 1 };
const seconds = fuzzSeconds(options);

const question = { name: toDnsName('example.test'), type: 'TXT' } as const;
const right = encodeMessage({ id: 0, response: true, questions: [question] });
const server = { kind: 'https', url: 'https://dns.example/dns-query' } as const;
const { signal } = new AbortController();

test(
  'whatever comes over HTTPS is an answer to the question with id 0, or a DnsExchangeError of one line',
  async () => {
    let taken = 0;
    const inputs = await fuzz(options, async (random) => {
      const answer = answerOf(random);
      const transport: DnsTransport = {
        udp: () => Promise.reject(new Error('plain DNS')),
        tcp: () => Promise.reject(new Error('plain DNS')),
        encrypted: async (to, query, call) => {
          if (to.kind !== 'https') throw new Error('not HTTPS');
          return askOverHttps(async () => answer, to, query, call);
        },
      };
      try {
        const { message } = await exchange(question, server, { transport, signal, rd: true });
        taken += 1;
        if (message.id !== 0 || !message.response || answer.status !== 200) throw new Error('it is no answer');
      } catch (error) {
        if (!(error instanceof DnsExchangeError)) throw error;
        if (error.message.length >= 400 || error.message.includes('\n')) throw new Error(`told as ${error.message}`);
      }
    });
    expect(inputs).toBeGreaterThan(seconds * 100);
    expect(taken).toBeGreaterThan(inputs / 100);
  },
  seconds * 1000 + 30_000,
);

function answerOf(random: Random): HttpAnswer {
  const headers = [
    {},
    { 'content-type': type(random) },
    { 'content-type': type(random) },
    { 'content-type': [type(random), type(random)] },
  ][random(4)];
  return { status: random(4) === 0 ? 200 + random(400) : 200, headers: headers ?? {}, body: body(random) };
}

function type(random: Random): string {
  const known = ['application/dns-message', 'Application/DNS-Message;charset=x', 'text/html', '', ';'];
  return known[random(known.length + 1)] ?? noise(random, random(30)).toString('utf8');
}

function body(random: Random): Uint8Array {
  switch (random(3)) {
    case 0:
      return right;
    case 1:
      return noise(random, random(200));
    default: {
      const changed = Uint8Array.from(right);
      for (let changes = 1 + random(4); changes > 0; changes--) changed[random(changed.length)] = random(256);
      return changed;
    }
  }
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)));
}
