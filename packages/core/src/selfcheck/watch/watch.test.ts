import { randomBytes } from 'node:crypto';
import type { DnsQuestion } from '@zoneproof/dns';
import { FakeClock } from '../../time/fake-clock.ts';
import { createSelfCheck, type SelfCheckOptions } from '../self-check.ts';
import { nothingIn, placeOf, type SimulatedAnswer, simulateDns, valuesAt } from '../testing/simulated-dns.ts';
import type { Location, Sighting } from '../types.ts';

const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
const name = '_acme-challenge.example.com';
const nothing = nothingIn('example.com');

type Answer = (address: string, question: DnsQuestion, sinceMs: number) => SimulatedAnswer;

function setUp(answer: Answer, options: Partial<SelfCheckOptions> = {}) {
  const clock = new FakeClock();
  const start = clock.now();
  const dns = simulateDns(clock, (address, question, now) => answer(address, question, now - start));
  const stop = new AbortController();
  const check = createSelfCheck({
    resolvers: () => [],
    transport: dns.transport,
    clock,
    timers: clock,
    random: (length) => randomBytes(length),
    signal: stop.signal,
    ...options,
  });
  const told: { readonly at: number; readonly sighting: Sighting }[] = [];
  /** Looks each time that there is news. */
  const follow = (key: string, location: Location = placeOf(name, 'example.com', four), since = start) => {
    const look = () => check.watch({ key, location, values: ['v'], presentedAt: since, changed: tell });
    const tell = () => told.push({ at: clock.now() - start, sighting: look() });
    look();
  };
  const visibleAt = () => told.filter(({ sighting }) => sighting.state === 'visible').map(({ at }) => at);
  const asked = (address: string, type = 'TXT') =>
    dns.questions
      .filter((question) => question.address === address && question.type === type)
      .map(({ at }) => at - start);
  return { clock, start, dns, stop, check, follow, told, visibleAt, asked };
}

/** Each server shows values from its own time on. */
const lagging =
  (...lagsMs: number[]): Answer =>
  (address, { name: at }, sinceMs) =>
    sinceMs >= (lagsMs[four.indexOf(address)] ?? 0) ? valuesAt(at, 'v') : nothing;

test('servers that all have the value are asked once, and once more a second after the last answer', async () => {
  const { clock, follow, visibleAt, asked } = setUp(lagging());
  follow('a');
  await clock.advance(60_000);
  for (const address of four) expect(asked(address)).toEqual([0, 1010]);
  expect(visibleAt()).toEqual([1020]);
});

test('a server that has shown the value is not asked again while others lack it', async () => {
  const { clock, follow, visibleAt, asked, told } = setUp(lagging(0, 300, 5_000, 20_000));
  follow('a');
  await clock.advance(19_000);
  expect(asked('192.0.2.1')).toEqual([0]);
  expect(asked('192.0.2.2')).toEqual([0, 100, 350]);
  await clock.advance(10_000);
  expect(asked('192.0.2.1')).toHaveLength(2);
  // 850 ms of quick looks, then every second: seen at 20.85, confirmed a second later.
  expect(visibleAt()).toEqual([21_870]);
  expect(told[0]?.sighting).toMatchObject({ state: 'waiting', evidence: { verdict: 'missing' } });
});

test('the next look comes every second for 90 s, then more slowly to every 10 s', async () => {
  const { clock, follow, asked } = setUp(() => nothing);
  follow('a');
  await clock.advance(600_000);
  const times = asked('192.0.2.1');
  const gaps = times.slice(1).map((at, i) => at - (times[i] as number));
  expect(gaps.slice(0, 4)).toEqual([100, 250, 500, 1000]);
  expect(times.filter((at) => at < 90_000)).toHaveLength(93);
  expect(gaps.at(-1)).toBe(10_000);
});

test('a value that vanishes before the confirmation starts over, and is then waited for twice as long', async () => {
  const { clock, follow, visibleAt, asked } = setUp((address, { name: at }, sinceMs) =>
    address === '192.0.2.3' && sinceMs > 500 && sinceMs < 3_000 ? nothing : valuesAt(at, 'v'),
  );
  follow('a');
  await clock.advance(10_000);
  const [seenAgain] = asked('192.0.2.3').filter((at) => at >= 3_000);
  expect(visibleAt()).toEqual([(seenAgain as number) + 10 + 2_000 + 10]);
});

test('zero answers never pass, and cost one question at a time', async () => {
  const { clock, follow, told, dns } = setUp(() => 'silent');
  for (let i = 0; i < 100; i++) follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four));
  await clock.advance(60_000);
  expect(told.every(({ sighting }) => sighting.state === 'waiting')).toBe(true);
  expect(told.at(-1)?.sighting.evidence?.verdict).toBe('unreachable');
  // The first scouts with all their tries, then a brief probe of each server every few seconds.
  expect(dns.questions.length).toBeLessThan(4 * 30);
});

test('a silent server is tried once more before it is passed over', async () => {
  const { clock, follow, visibleAt, asked } = setUp((address, { name: at }) =>
    address === '192.0.2.4' ? 'silent' : valuesAt(at, 'v'),
  );
  follow('a');
  await clock.advance(20_000);
  // Two tries over UDP and one over TCP take 6 s, the probe 1.3 s.
  expect(visibleAt()).toEqual([7_334]);
  expect(asked('192.0.2.4')).toEqual([0, 2_000, 6_000]);
});

test('a server that comes back with nothing vetoes, though it was silent before', async () => {
  const { clock, follow, visibleAt, told } = setUp((address, { name: at }, sinceMs) => {
    if (address !== '192.0.2.4') return valuesAt(at, 'v');
    return sinceMs < 6_500 ? 'silent' : sinceMs < 30_000 ? nothing : valuesAt(at, 'v');
  });
  follow('a');
  await clock.advance(29_000);
  expect(visibleAt()).toEqual([]);
  expect(told.at(-1)?.sighting.evidence?.verdict).toBe('missing');
  await clock.advance(5_000);
  expect(visibleAt()).toHaveLength(1);
});

test('of a hundred values of one write one is looked for, and each is verified and confirmed once', async () => {
  const { clock, follow, visibleAt, asked } = setUp(lagging(0, 0, 0, 30_000));
  for (let i = 0; i < 100; i++) follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four));
  await clock.advance(40_000);
  expect(visibleAt()).toHaveLength(100);
  expect(asked('192.0.2.1')).toHaveLength(200);
  expect(asked('192.0.2.4').length).toBeLessThan(200 + 35);
  expect(Math.max(...visibleAt())).toBeLessThan(32_500);
});

test('of values that were not asked for it is told that another of the same write is missing', async () => {
  const { clock, follow, told, asked } = setUp(() => nothing);
  for (let i = 0; i < 20; i++) follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four));
  await clock.advance(1_500);
  expect(asked('192.0.2.1').length).toBeLessThan(6);
  const rows = told.map(({ sighting }) => sighting.evidence?.servers[0]);
  expect(rows).toHaveLength(20);
  const inferred = rows.filter((row) => row?.inferred === true);
  expect(inferred.length).toBeGreaterThanOrEqual(14);
  expect(inferred[0]).toMatchObject({ finding: 'lacks', detail: 'a value written at the same time is not there yet' });
});

test('one value that never comes does not hide the others of its write', async () => {
  const { clock, follow, visibleAt } = setUp((_address, { name: at }, sinceMs) =>
    sinceMs > 5_000 && !at.includes('.lost.') ? valuesAt(at, 'v') : nothing,
  );
  follow('lost', placeOf('_acme-challenge.lost.example.com', 'example.com', four));
  for (let i = 0; i < 10; i++) follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four));
  await clock.advance(10_000);
  expect(visibleAt()).toHaveLength(10);
});

test('values that are not there cost no server more than eight questions a second, however many writes there were', async () => {
  const { clock, start, follow, asked } = setUp(() => nothing);
  for (let i = 0; i < 60; i++)
    follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four), start - i * 1000);
  await clock.advance(30_000);
  const times = asked('192.0.2.1');
  for (let second = 0; second < 30; second++)
    expect(times.filter((at) => at >= second * 1000 && at < (second + 1) * 1000).length).toBeLessThanOrEqual(8);
  expect(times.length).toBeGreaterThan(100);
});

test('two hundred questions a second is the most that one address is sent', async () => {
  const { clock, follow, asked } = setUp(lagging());
  for (let i = 0; i < 500; i++) follow(`k${i}`, placeOf(`_acme-challenge.h${i}.example.com`, 'example.com', four));
  await clock.advance(30_000);
  const times = asked('192.0.2.1');
  expect(times).toHaveLength(1000);
  for (const from of times.filter((_at, i) => i % 100 === 0))
    expect(times.filter((at) => at >= from && at < from + 1000).length).toBeLessThanOrEqual(400);
});

test('serials are asked for when a value takes its time, seldom, and name the late transfer', async () => {
  const { clock, follow, told, asked } = setUp((address, { name: at, type }) => {
    const late = address === '192.0.2.3';
    if (type !== 'SOA') return late ? nothingIn('example.com', 7) : valuesAt(at, 'v');
    const { authorities } = nothingIn('example.com', late ? 7 : 9);
    return { ...nothing, rcode: 'NOERROR', answers: authorities, authorities: [] };
  });
  follow('a');
  await clock.advance(60_000);
  expect(asked('192.0.2.1', 'SOA')).toEqual([2_860, 17_860, 32_860, 47_860]);
  expect(told.at(-1)?.sighting.evidence).toMatchObject({
    summary: expect.stringContaining(
      'ns3.example.com still serves serial 7 while others have 9: its zone transfer is late',
    ),
    servers: [{ serial: 9 }, { serial: 9 }, { serial: 7, finding: 'lacks' }, { serial: 9 }],
  });
});

test('news are told at once when the verdict changes, else every five seconds at most', async () => {
  const { clock, follow, told } = setUp(lagging(1_500, 2_500, 3_500, 30_000));
  follow('a');
  await clock.advance(60_000);
  expect(told.map(({ sighting }) => sighting.evidence?.verdict)).toEqual(['missing', 'missing', 'visible']);
  expect(told[0]?.at).toBe(1_000);
  expect(told[1]?.at).toBe(6_000);
});

test('of many servers sixteen are told, those in the way first, and all count', async () => {
  const addresses = Array.from({ length: 20 }, (_, at) => `192.0.2.${at + 1}`);
  const late = addresses[19];
  const { clock, follow, told } = setUp((address, { name: at }) => (address === late ? nothing : valuesAt(at, 'v')));
  follow('a', placeOf(name, 'example.com', addresses));
  await clock.advance(2_000);
  const evidence = told.at(-1)?.sighting.evidence;
  expect(evidence?.servers).toHaveLength(16);
  expect(evidence?.servers[0]).toMatchObject({ address: late, finding: 'lacks' });
  expect(evidence?.summary).toMatch(/^1 of 20 authoritative servers/);
});

test('values that a server gives in another order each time are no news', async () => {
  let turn = 0;
  const { clock, follow, told } = setUp((_address, { name: at }) => {
    const others = ['one', 'two', 'three'];
    turn += 1;
    return valuesAt(at, ...others.slice(turn % 3), ...others.slice(0, turn % 3));
  });
  follow('a');
  await clock.advance(60_000);
  expect(told).toHaveLength(1);
  expect(told[0]?.sighting.evidence?.servers[0]?.values).toEqual(['one', 'three', 'two']);
});

test('visible is said once: who asks again gets it confirmed anew', async () => {
  const { clock, check, follow, visibleAt, asked, start } = setUp(lagging());
  follow('a');
  await clock.advance(5_000);
  expect(visibleAt()).toEqual([1_020]);
  const again = () =>
    check.watch({
      key: 'a',
      location: placeOf(name, 'example.com', four),
      values: ['v'],
      presentedAt: start,
      changed: () => undefined,
    });
  expect(again()).toEqual({ state: 'waiting' });
  await clock.advance(100);
  expect(again().state).toBe('visible');
  expect(asked('192.0.2.1')).toHaveLength(3);
});

test('what was confirmed more than 30 s before anybody asks is confirmed anew', async () => {
  const { clock, check, start } = setUp(lagging());
  const ask = (key: string) => {
    const location = placeOf(`_acme-challenge.${key}.example.com`, 'example.com', four);
    return check.watch({ key, location, values: ['v'], presentedAt: start, changed: () => undefined }).state;
  };
  expect([ask('soon'), ask('late')]).toEqual(['waiting', 'waiting']);
  await clock.advance(20_000);
  expect(ask('soon')).toBe('visible');
  await clock.advance(20_000);
  expect(ask('late')).toBe('waiting');
  await clock.advance(100);
  expect(ask('late')).toBe('visible');
});

test('nothing is left of a watch that has ended, and nothing is sent any more', async () => {
  const { clock, check, stop, follow, dns, told } = setUp(() => nothing);
  follow('a');
  follow('b');
  await clock.advance(2_000);
  check.unwatch('a');
  const before = told.length;
  await clock.advance(2_000);
  check.unwatch('b');
  check.unwatch('unknown');
  await clock.advance(50);
  expect(clock.pending).toBe(0);
  expect(told.slice(before).length).toBeLessThanOrEqual(1);
  const asked = dns.questions.length;
  follow('c');
  await clock.advance(500);
  stop.abort();
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
  expect(dns.questions.length).toBeLessThan(asked + 20);
});

test('at a challenge name that is a zone of its own nothing but TXT is asked', async () => {
  const { clock, follow, dns } = setUp(() => nothingIn(name));
  follow('a', placeOf(name, name, four));
  await clock.advance(60_000);
  expect(new Set(dns.questions.map(({ type }) => type))).toEqual(new Set(['TXT']));
});

test('another place for the same key is another watch', async () => {
  const { clock, follow, visibleAt, asked } = setUp((_address, { name: at }) =>
    at.startsWith('moved.') ? valuesAt(at, 'v') : nothing,
  );
  follow('a');
  await clock.advance(3_000);
  follow('a', placeOf('moved.example.com', 'example.com', four));
  await clock.advance(3_000);
  expect(visibleAt()).toHaveLength(1);
  const before = asked('192.0.2.1').length;
  await clock.advance(10_000);
  expect(asked('192.0.2.1')).toHaveLength(before);
});
