import { randomBytes } from 'node:crypto';
import { type DnsRecord, labelsOf, toDnsName } from '@zoneproof/dns';
import { FakeClock } from '../time/fake-clock.ts';
import { createSelfCheck } from './self-check.ts';
import { nothingIn, type SimulatedAnswer, simulateDns } from './testing/simulated-dns.ts';
import type { LocateError } from './types.ts';

const resolver = '192.0.2.53';
const empty = { rcode: 'NOERROR', aa: true, answers: [], authorities: [], additionals: [] } as const;
const name = toDnsName(`_acme-challenge.${'a.'.repeat(14)}example.com`);

const ns = (zone: string, host: string): DnsRecord => ({
  name: toDnsName(zone),
  type: 'NS',
  ttl: 60,
  data: toDnsName(host),
});
const alias = (from: string, to: string): DnsRecord => ({
  name: toDnsName(from),
  type: 'CNAME',
  ttl: 60,
  data: toDnsName(to),
});

/** An attacker's servers, and a resolver that finds an address for any name. */
async function locate(attack: (asked: string, question: string) => SimulatedAnswer) {
  const clock = new FakeClock();
  const start = clock.now();
  const dns = simulateDns(clock, (address, { name: asked, type }) => {
    if (address !== resolver) return attack(asked, type);
    if (type === 'NS') return { ...empty, aa: false, answers: [ns(asked, `ns.${asked}`)] };
    if (type === 'A')
      return { ...empty, aa: false, answers: [{ name: asked, type: 'A', ttl: 60, data: '192.0.2.66' }] };
    return { ...empty, aa: false };
  });
  const check = createSelfCheck({
    resolvers: () => [{ address: resolver, port: 53 }],
    transport: dns.transport,
    clock,
    timers: clock,
    random: (length) => randomBytes(length),
  });
  const problem = await clock.until(
    check.locate(name, new AbortController().signal).then(
      () => undefined,
      (error: LocateError) => error,
    ),
  );
  return { problem, questions: dns.questions.length, tookMs: clock.now() - start };
}

/** Each answer leads one label further down, to sixteen servers without addresses. */
const referrals = (asked: string): SimulatedAnswer => {
  const depth = referrals.depth++ % 14;
  const zone = labelsOf(toDnsName(asked))
    .slice(-3 - depth)
    .join('.');
  const authorities = Array.from({ length: 16 }, (_, i) => ns(zone, `h${i}.d${depth}.example.net`));
  return { ...empty, aa: false, authorities };
};
referrals.depth = 0;

let hops = 0;

test.each<[string, (asked: string, question: string) => SimulatedAnswer, RegExp]>([
  ['endless referrals to sixteen servers each', referrals, /took more than 64 questions; check the delegations/],
  [
    'an alias to ever new names in zones of their own',
    (asked) => ({ ...empty, answers: [alias(asked, `x${hops++}.y${hops}.example.net`)] }),
    /is longer than 10 aliases|took more than 64 questions/,
  ],
  ['an alias to itself', (asked) => ({ ...empty, answers: [alias(asked, asked)] }), /leads back to itself/],
  [
    'a referral to its own zone',
    (asked) => ({ ...empty, aa: false, authorities: [ns(asked.split('.').slice(-2).join('.'), 'ns.example.com')] }),
    /it answers without authority/,
  ],
  ['a server failure', () => ({ ...nothingIn('example.com'), rcode: 'SERVFAIL' }), /it answers SERVFAIL/],
])('%s costs at most 64 questions and ends with a sentence', async (_title, attack, sentence) => {
  const { problem, questions, tookMs } = await locate(attack);
  expect(problem?.message).toMatch(sentence);
  expect(problem?.message.length).toBeLessThan(3000);
  expect(questions).toBeLessThanOrEqual(64);
  expect(tookMs).toBeLessThanOrEqual(20_000);
});
