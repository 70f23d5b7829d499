import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { type DnsQuestion, toDnsName } from '@zoneproof/dns';
import { FakeClock } from '../time/fake-clock.ts';
import { createSelfCheck, type SelfCheckOptions } from './self-check.ts';
import { nothingIn, type SimulatedAnswer, simulateDns, valuesAt } from './testing/simulated-dns.ts';
import { type RecordLine, record, type Sections, soa } from './testing/zone-data.ts';
import type { LocateError, Location, Sighting } from './types.ts';

const leaf = toDnsName('_acme-challenge.www.example.com');
const [resolver, ns1, ns2] = ['192.0.2.53', '192.0.2.1', '192.0.2.2'];
const signal = new AbortController().signal;

/** A zone on two name servers, and a resolver that remembers for its negative TTL what was not there. */
function setUp(
  options: Partial<SelfCheckOptions> = {},
  more: { readonly minimum?: number; readonly lines?: RecordLine[] } = {},
) {
  const clock = new FakeClock();
  const start = clock.now();
  const world = {
    presentedAt: Number.POSITIVE_INFINITY,
    isClosed: false,
    /** An authoritative server that refuses. */
    lame: '',
    listedIsAuthoritative: false,
    /** Until when the resolver denies the name, since somebody asked too early. */
    deniedUntil: 0,
    /** Questions to the resolver for the challenge's name. */
    early: [] as { readonly type: string; readonly at: number }[],
  };
  const { minimum = 30 } = more;
  const zoneSoa = (() => {
    const one = soa(toDnsName('example.com'));
    return one.type === 'SOA' ? { ...one, data: { ...one.data, minimum } } : one;
  })();
  const lines: readonly RecordLine[] = [
    ['example.com', 'NS', 'ns1.example.com'],
    ['example.com', 'NS', 'ns2.example.com'],
    ['ns1.example.com', 'A', ns1],
    ['ns2.example.com', 'A', ns2],
    ...(more.lines ?? []),
  ];
  const held = ({ name, type }: DnsQuestion, now: number): Sections => {
    const answers = lines.map(record).filter((one) => one.name === name && (one.type === type || one.type === 'CNAME'));
    if (type === 'SOA' && name === 'example.com') answers.push(zoneSoa);
    const target = lines.map(record).find((one) => one.type === 'CNAME' && one.name === leaf);
    const place = target?.type === 'CNAME' ? target.data : leaf;
    const isThere = type === 'TXT' && now >= world.presentedAt && (name === place || name === leaf);
    const values = isThere ? valuesAt(place, 'v').answers : [];
    const all = [...answers, ...values];
    const exists = all.length > 0 || name === 'example.com' || name === 'www.example.com';
    return {
      ...nothingIn('example.com'),
      rcode: exists ? 'NOERROR' : 'NXDOMAIN',
      answers: all,
      authorities: all.length > 0 ? [] : [zoneSoa],
    };
  };
  const dns = simulateDns(clock, (address, question, now): SimulatedAnswer => {
    if (address === world.lame) return { ...held(question, now), rcode: 'REFUSED', aa: false };
    if (address !== resolver) return world.isClosed ? 'silent' : held(question, now);
    const isLeaf = question.name === leaf || question.name === 'x.acme.example.com';
    if (isLeaf) world.early.push({ type: question.type, at: now - start });
    const answer = held(question, now);
    if (isLeaf && answer.answers.length === 0) world.deniedUntil = Math.max(world.deniedUntil, now + minimum * 1000);
    const isDenied = isLeaf && question.type === 'TXT' && now < world.deniedUntil;
    return {
      ...(isDenied ? { ...answer, answers: [], rcode: 'NXDOMAIN' as const } : answer),
      aa: world.listedIsAuthoritative,
    };
  });
  const check = createSelfCheck({
    resolvers: () => [{ address: resolver, port: 53 }],
    transport: dns.transport,
    clock,
    timers: clock,
    random: (length) => randomBytes(length),
    ...options,
  });
  const seen: { readonly at: number; readonly sighting: Sighting }[] = [];
  const locate = (how?: { readonly isDelegated?: boolean }) => clock.until(check.locate(leaf, signal, how));
  const follow = (location: Location) => {
    world.presentedAt = clock.now();
    const wanted = {
      key: 'k',
      location,
      values: ['v'],
      presentedAt: clock.now(),
      changed: () => void seen.push({ at: clock.now() - wanted.presentedAt, sighting: check.watch(wanted) }),
    };
    check.watch(wanted);
  };
  const visible = () => seen.filter(({ sighting }) => sighting.state === 'visible').map(({ at }) => at);
  const failure = (work: Promise<unknown>) =>
    clock.until(
      work.then(
        () => undefined,
        (error: LocateError) => error,
      ),
    );
  return { clock, world, dns, check, locate, follow, visible, seen, failure };
}

test('auto: while authoritative servers answer, no listed server is ever asked for the record', async () => {
  const { clock, world, locate, follow, visible } = setUp();
  follow(await locate());
  await clock.advance(120_000);
  expect(visible()).toEqual([1_020]);
  expect(world.early).toEqual([]);
});

test.each([
  ['the negative TTL', 30, 30_000],
  ['60 s, where that is longer', 3_600, 60_000],
])('auto: where none can be reached, the listed ones are asked after %s', async (_title, minimum, waitMs) => {
  const { clock, world, locate, follow, visible, seen } = setUp({}, { minimum });
  world.isClosed = true;
  const location = await locate();
  expect(location).toMatchObject({ zone: 'example.com', target: leaf, servers: [], listed: { waitMs } });
  expect(location.listed?.reason).toBe('no authoritative server of example.com answers');
  const begun = clock.now();
  follow(location);
  await clock.advance(120_000);
  expect(world.early.map(({ type, at }) => [type, at + 1_000_000_000_000 - begun])).toEqual([
    ['TXT', waitMs],
    ['TXT', waitMs + 1_010],
  ]);
  expect(visible()).toEqual([waitMs + 1_020]);
  expect(seen.at(-1)?.sighting.evidence).toMatchObject({
    by: 'resolver',
    summary: `1 of 1 listed server, by resolver only (no authoritative server of example.com answers), has the value at ${leaf}`,
    servers: [{ server: '192.0.2.53:53', finding: 'has', aa: false }],
  });
});

test('auto: a resolver that was asked too early by somebody is asked again, seldom, until it forgets', async () => {
  const { clock, world, locate, follow, visible } = setUp();
  world.isClosed = true;
  const location = await locate();
  world.deniedUntil = clock.now() + 55_000;
  follow(location);
  await clock.advance(180_000);
  expect(visible()).toEqual([61_020]);
  expect(world.early.length).toBeLessThanOrEqual(5);
});

test('auto: names of a zone that was silent a moment ago do not each wait for it', async () => {
  const { clock, world, check, dns, locate } = setUp();
  world.isClosed = true;
  await locate();
  const [before, at] = [dns.questions.length, clock.now()];
  await clock.until(check.locate(toDnsName('_acme-challenge.other.example.com'), signal));
  expect(clock.now() - at).toBeLessThan(100);
  expect(dns.questions.length - before).toBe(1);
});

test('a server that is lame while values are watched has the delegation looked at again, once a minute', async () => {
  const { clock, world, dns, check, locate, follow } = setUp();
  const walks = () => dns.questions.filter(({ address, type }) => address === resolver && type === 'NS').length;
  const location = await locate();
  world.lame = ns2;
  follow({ ...location });
  await clock.advance(1_000);
  expect(walks()).toBe(1);
  await locate();
  expect(walks()).toBe(2);
  await clock.advance(5_000);
  await locate();
  expect(walks()).toBe(2);
  check.unwatch('k');
});

test('finding a zone ends after 20 s, whatever keeps it', async () => {
  jest.useFakeTimers();
  try {
    const hang = (ends: AbortSignal) =>
      new Promise<never>((_resolve, reject) => ends.addEventListener('abort', () => reject(ends.reason)));
    const check = createSelfCheck({
      resolvers: () => [{ address: resolver, port: 53 }],
      transport: {
        udp: (_server, _query, _accept, { signal: ends }) => hang(ends),
        tcp: (_server, _query, { signal: ends }) => hang(ends),
      },
      clock: { now: () => Date.now() },
      random: (length) => randomBytes(length),
    });
    let message: string | undefined;
    check.locate(leaf, signal).catch((error: Error) => {
      message = error.message;
    });
    await jest.advanceTimersByTimeAsync(19_900);
    expect(message).toBeUndefined();
    await jest.advanceTimersByTimeAsync(200);
    expect(message).toBe(`finding the zone of ${leaf} took more than 20 s; check that its name servers can be reached`);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

test('auto: silence of a minute ago is looked at again', async () => {
  const { clock, world, locate } = setUp();
  world.isClosed = true;
  await locate();
  world.isClosed = false;
  await clock.advance(61_000);
  expect((await locate()).servers).toHaveLength(2);
});

test('authoritative: the listed ones are never asked for the record', async () => {
  const { world, check, failure } = setUp({ mode: 'authoritative' });
  world.isClosed = true;
  const problem = await failure(check.locate(leaf, signal));
  expect(problem).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('port 53 over UDP and TCP') });
  expect(world.early).toEqual([]);
});

test('listed-only: nobody else is asked at all, and not before the wait', async () => {
  const { clock, world, dns, locate, follow, visible } = setUp({ mode: 'listed-only' });
  const location = await locate();
  expect(location.listed?.reason).toBe('the mode is listed-only');
  follow(location);
  await clock.advance(29_000);
  expect(world.early).toEqual([]);
  await clock.advance(10_000);
  expect(visible()).toEqual([31_020]);
  expect(new Set(dns.questions.map(({ address }) => address))).toEqual(new Set([resolver]));
});

test('listed-only: a name that is known to be an alias is followed, and only the alias is asked for', async () => {
  const { world, locate } = setUp(
    { mode: 'listed-only' },
    { lines: [['_acme-challenge.www.example.com', 'CNAME', 'x.acme.example.com']] },
  );
  expect((await locate()).chain).toEqual([leaf]);
  expect(world.early).toEqual([]);
  const led = await locate({ isDelegated: true });
  expect(led).toMatchObject({ chain: [leaf, 'x.acme.example.com'], target: 'x.acme.example.com' });
  expect(world.early).toMatchObject([{ type: 'CNAME' }]);
});

test('auto: a listed server that is authoritative itself is a target, and vetoes', async () => {
  const { clock, world, locate, follow, visible, seen } = setUp();
  world.listedIsAuthoritative = true;
  world.deniedUntil = clock.now() + 20_000;
  const location = await locate();
  expect(location.servers).toEqual([
    { name: 'ns1.example.com', address: ns1 },
    { name: 'ns2.example.com', address: ns2 },
    { name: '192.0.2.53:53', address: resolver, port: 53 },
  ]);
  follow(location);
  await clock.advance(19_000);
  expect(visible()).toEqual([]);
  expect(seen.at(-1)?.sighting.evidence?.summary).toContain(
    'the listed server 192.0.2.53:53 serves another copy of the zone than the servers of its NS records',
  );
});

test('authoritative: a listed server is no target', async () => {
  const { world, locate } = setUp({ mode: 'authoritative' });
  world.listedIsAuthoritative = true;
  expect((await locate()).servers).toHaveLength(2);
});

test('resolvers that are asked last are not asked before the confirmation, and have a veto', async () => {
  const { clock, world, locate, follow, visible, seen } = setUp({
    finalResolvers: () => [{ address: resolver, port: 53 }],
  });
  const location = await locate();
  world.deniedUntil = clock.now() + 15_000;
  follow(location);
  await clock.advance(1_000);
  expect(world.early).toEqual([]);
  await clock.advance(60_000);
  expect(world.early[0]?.type).toBe('TXT');
  expect(seen[0]?.sighting).toMatchObject({
    state: 'waiting',
    evidence: {
      verdict: 'missing',
      summary: expect.stringContaining('of the resolvers that are asked last, 192.0.2.53:53 lacks it'),
    },
  });
  expect(visible()).toHaveLength(1);
  expect(seen.at(-1)?.sighting.evidence?.servers).toHaveLength(3);
});

test('where resolvers are asked anyway, none is asked last', async () => {
  const last = '192.0.2.99';
  const finalResolvers = () => [{ address: last, port: 53 }];
  const { clock, dns, locate, follow, visible } = setUp({ mode: 'listed-only', finalResolvers });
  follow(await locate());
  await clock.advance(40_000);
  expect(visible()).toEqual([31_020]);
  expect(dns.asked.get(last)).toBeUndefined();
});

test('resolvers that are asked last and say nothing stand in nobody’s way', async () => {
  const { clock, locate, follow, visible } = setUp({ finalResolvers: () => [{ address: '192.0.2.99', port: 53 }] });
  const location = await locate();
  follow(location);
  await clock.advance(20_000);
  expect(visible()).toHaveLength(1);
});
