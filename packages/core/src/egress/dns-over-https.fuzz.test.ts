import { DnsExchangeError, type DnsTransport, encodeMessage, exchange, toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { askOverHttps } from './dns-over-https.ts';
import type { HttpAnswer } from './index.ts';

const seconds = Number(process.env.ZONEPROOF_SOAK_SECONDS ?? 1);
const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? 8484);

const question = { name: toDnsName('example.test'), type: 'TXT' } as const;
const right = encodeMessage({ id: 0, response: true, questions: [question] });
const body = fc.oneof(
  fc.constant(right),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(fc.tuple(fc.nat(right.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce((wire, [at, octet]) => wire.fill(octet, at, at + 1), Uint8Array.from(right))),
);
const type = fc.oneof(
  fc.constantFrom('application/dns-message', 'Application/DNS-Message;charset=x', 'text/html', '', ';'),
  fc.string(),
);
const answers: fc.Arbitrary<HttpAnswer> = fc.record({
  status: fc.oneof(
    { weight: 3, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
  ),
  headers: fc.oneof(
    type.map((one) => ({ 'content-type': one })),
    fc.constant({}),
    fc.tuple(type, type).map((both) => ({ 'content-type': both })),
  ),
  body,
});

test(
  'whatever comes over HTTPS is an answer to the question with id 0, or a DnsExchangeError of one line',
  async () => {
    let [inputs, taken] = [0, 0];
    const property = fc.asyncProperty(answers, async (answer) => {
      inputs += 1;
      const transport: DnsTransport = {
        udp: () => Promise.reject(new Error('plain DNS')),
        tcp: () => Promise.reject(new Error('plain DNS')),
        encrypted: async (server, query, call) => {
          if (server.kind !== 'https') throw new Error('not HTTPS');
          return askOverHttps(async () => answer, server, query, call);
        },
      };
      const server = { kind: 'https', url: 'https://dns.example/dns-query' } as const;
      const signal = new AbortController().signal;
      try {
        const { message } = await exchange(question, server, { transport, signal, rd: true });
        taken += 1;
        return message.id === 0 && message.response && answer.status === 200;
      } catch (error) {
        if (!(error instanceof DnsExchangeError)) throw error;
        return error.message.length < 400 && !error.message.includes('\n');
      }
    });
    const limits = { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false };
    await fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, ...limits });
    expect(inputs).toBeGreaterThan(seconds * 100);
    expect(taken).toBeGreaterThan(inputs / 100);
    if (process.env.ZONEPROOF_SOAK_SECONDS !== undefined) console.info(`${inputs} inputs, seed ${seed}`);
  },
  seconds * 1000 + 30_000,
);
