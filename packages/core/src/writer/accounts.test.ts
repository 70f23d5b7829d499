import { toDnsName } from '@zoneproof/dns';
import { FakeClock } from '../time/fake-clock.ts';
import { createZoneFinder } from '../zones/index.ts';
import {
  type BoundProvider,
  createProviderCalls,
  createRecordWriter,
  MemoryLedger,
  type WriteOutcome,
} from './index.ts';
import { FakeService, type FakeServiceOptions, zone } from './testing/fake-service.ts';

/** One service with accounts `fake:a` and `fake:b`, as several Issuers use it. */
function setUp(capabilities: FakeServiceOptions['capabilities'] = {}) {
  const clock = new FakeClock();
  const start = clock.now();
  const ledger = new MemoryLedger();
  const calls = createProviderCalls(clock, clock);
  const service = new FakeService({ clock, ledger, capabilities, latencyMs: 0 });
  const writer = createRecordWriter({
    ledger,
    clock,
    timers: clock,
    calls,
    random: (length) => new Uint8Array(length).fill(128),
  });
  const issuer = (name: string, account: string): BoundProvider => {
    const bound = service.bind(account);
    return { ...bound, block: { ...bound.block, issuer: `Issuer/default/${name}` } };
  };
  const write = async (bound: BoundProvider, i: number, zoneId = 'z1') => {
    const [outcome] = await writer.write({
      owner: `ns/o${i}`,
      provider: bound,
      zone: { ...zone, id: zoneId },
      state: 'present',
      records: [{ name: toDnsName(`_acme-challenge.n${i}.example.com`), value: `v${i}` }],
      signal: new AbortController().signal,
    });
    return { outcome: outcome as WriteOutcome, afterMs: clock.now() - start };
  };
  return { clock, start, calls, service, issuer, write };
}

const buckets = [{ name: 'requests', burst: 2, perSecond: 1, source: 'test' }];

test('two Issuers with one account share its bucket; another account has its own', async () => {
  const { clock, issuer, write } = setUp({ buckets });
  const [one, two, other] = [issuer('one', 'fake:a'), issuer('two', 'fake:a'), issuer('other', 'fake:b')];
  const shared = [0, 1, 2, 3, 4, 5].map((i) => write(i % 2 ? one : two, i, `z${i}`));
  const alone = [6, 7].map((i) => write(other, i, `z${i}`));
  expect((await clock.until(Promise.all(alone))).map(({ afterMs }) => afterMs)).toEqual([100, 100]);
  const times = (await clock.until(Promise.all(shared))).map(({ afterMs }) => afterMs);
  expect(times.sort((a, b) => a - b)).toEqual([100, 100, 1_100, 2_100, 3_100, 4_100]);
});

test('a blocked account: all its writes are told at once, in every zone and of every Issuer, and another goes on', async () => {
  const { clock, start, service, issuer, write } = setUp({ buckets: [{ ...buckets[0]!, burst: 1 }] });
  const blocked = [issuer('one', 'fake:a'), issuer('two', 'fake:a')];
  service.faults.push({ kind: 'rate-limited', retryAfterMs: 300_000 });
  const waiting = Array.from({ length: 20 }, (_, i) => write(blocked[i % 2]!, i, `z${i}`));
  const outcomes = await clock.until(Promise.all(waiting));
  for (const { outcome, afterMs } of outcomes) {
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'rate-limited' } });
    expect(outcome.status === 'failed' && outcome.retryAt).toBeGreaterThanOrEqual(start + 300_000);
    expect(afterMs).toBeLessThan(1_000);
  }
  expect(service.requests).toHaveLength(1);
  const { outcome, afterMs } = await clock.until(write(issuer('other', 'fake:b'), 99));
  expect([outcome.status, afterMs]).toEqual(['done', 200]);
  expect(clock.pending).toBe(0);
});

test('what waits for permits too long is told when to come again, and does not count as a failure of the service', async () => {
  const { clock, start, service, issuer, write } = setUp({ buckets });
  const bound = issuer('one', 'fake:a');
  const outcomes = await clock.until(Promise.all(Array.from({ length: 60 }, (_, i) => write(bound, i, `z${i}`))));
  const done = outcomes.filter(({ outcome }) => outcome.status === 'done');
  const told = outcomes.filter(({ outcome }) => outcome.status === 'failed');
  expect(done).toHaveLength(service.requests.length);
  expect(done.length).toBeGreaterThanOrEqual(25);
  for (const { outcome, afterMs } of told) {
    expect(outcome).toMatchObject({
      error: { kind: 'rate-limited', message: expect.stringContaining('that wait already') },
    });
    expect(afterMs).toBe(100);
    // Once the queue has been worked off, not at the end of a backoff.
    const retryAt = outcome.status === 'failed' ? (outcome.retryAt ?? 0) - start : 0;
    expect(retryAt).toBeGreaterThan(25_000);
    expect(retryAt).toBeLessThan(30_000);
  }
});

test('throttling without Retry-After, as Route 53 does it: a second, then half the rate, then back', async () => {
  const { clock, calls, service, issuer, write } = setUp({
    buckets: [{ name: 'requests', burst: 5, perSecond: 5, source: 'test' }],
  });
  const bound = issuer('one', 'fake:a');
  service.faults.push({ kind: 'rate-limited' });
  const before = clock.now();
  await clock.until(write(bound, 0));
  expect(calls.limiter(bound).pausedUntil - before).toBe(1_100);
  const gaps = async (from: number) => {
    const times = await clock.until(Promise.all([0, 1, 2].map((i) => write(bound, from + i, `z${from + i}`))));
    const sorted = times.map(({ afterMs }) => afterMs).sort((a, b) => a - b);
    return sorted.slice(1).map((at, i) => at - sorted[i]!);
  };
  for (const gap of await gaps(1)) expect(gap).toBeGreaterThan(300);
  for (let i = 10; i < 20; i++) await clock.until(write(bound, i));
  await clock.advance(1_000);
  expect(Math.max(...(await gaps(30)))).toBe(0);
});

test('a pause holds for the list of zones too', async () => {
  const { clock, calls, issuer } = setUp();
  const finder = createZoneFinder({ clock, timers: clock, calls });
  const bound = issuer('one', 'fake:a');
  const listZones: BoundProvider['provider']['listZones'] = async (call) => {
    await call.permit();
    return [zone];
  };
  calls.limiter(bound).penalise(60_000);
  const name = toDnsName('_acme-challenge.example.com');
  const target = { domain: toDnsName('example.com'), challengeName: name, name };
  const found = finder.find(
    { ...bound, provider: { ...bound.provider, listZones } },
    target,
    new AbortController().signal,
  );
  await expect(found).rejects.toMatchObject({
    kind: 'rate-limited',
    message: 'fake "lab": the service asked for a pause of 60 s more; it goes on by itself',
    details: { retryAfterMs: 60_000 },
  });
  await clock.advance(60_000);
  expect(calls.limiter(bound).pausedUntil).toBe(clock.now());
});
