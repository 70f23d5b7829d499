import fc from 'fast-check';
import type { RateBucket } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createLimiter, LimitRefusal } from './limiter.ts';

const never = new AbortController().signal;

function setUp(...buckets: Partial<RateBucket>[]) {
  const clock = new FakeClock();
  const start = clock.now();
  const declared = buckets.map((bucket, i) => ({ name: `b${i}`, burst: 1, perSecond: 1, source: 'test', ...bucket }));
  const limiter = createLimiter(declared, clock, clock);
  /** Takes `count` permits; the milliseconds from the start at which each was given. */
  const take = async (count: number, bucket?: string, cost?: number) => {
    const given: number[] = [];
    const all = Array.from({ length: count }, () =>
      limiter.permit(never, bucket, cost).then(() => given.push(clock.now() - start)),
    );
    await clock.until(Promise.all(all));
    return given;
  };
  return { clock, limiter, take, start };
}

test('a burst at once, then at the declared rate', async () => {
  const { take } = setUp({ burst: 3, perSecond: 10 });
  expect(await take(6)).toEqual([0, 0, 0, 100, 200, 300]);
});

test('an idle bucket fills up to its burst and no further', async () => {
  const { clock, take } = setUp({ burst: 2, perSecond: 1 });
  await take(2);
  await clock.advance(60_000);
  expect((await take(3)).map((at) => at - 60_000)).toEqual([0, 0, 1000]);
});

test('buckets are separate; an undeclared name means the first', async () => {
  const { take } = setUp({ burst: 1, perSecond: 1 }, { burst: 5, perSecond: 1 });
  expect(await take(3, 'b1')).toEqual([0, 0, 0]);
  expect(await take(1)).toEqual([0]);
  expect(await take(1, 'other')).toEqual([1000]);
});

test('a cost above the burst waits for a full bucket and is paid back', async () => {
  const { take } = setUp({ burst: 2, perSecond: 1 });
  expect(await take(1, undefined, 4)).toEqual([0]);
  expect(await take(1)).toEqual([3000]);
});

test('without a declared bucket only pauses hold', async () => {
  const { limiter, take } = setUp();
  expect(await take(3)).toEqual([0, 0, 0]);
  limiter.penalise(5_000);
  expect(await take(2)).toEqual([5000, 5000]);
});

test('a pause holds for those who wait already, and the rate is halved after it', async () => {
  const { clock, limiter, take } = setUp({ burst: 1, perSecond: 10 });
  await take(1);
  const waiting = take(3);
  limiter.penalise(2_000);
  limiter.penalise(1_000); // from another request of the same moment
  expect(limiter.pausedUntil - clock.now()).toBe(2_000);
  const given = await waiting;
  expect(given[0]).toBe(2_000);
  expect(given[1]! - given[0]!).toBe(200);
});

test('the rate recovers with answers', async () => {
  const { clock, limiter, take } = setUp({ burst: 1, perSecond: 10 });
  limiter.penalise(0);
  for (let i = 0; i < 8; i++) limiter.recover();
  await clock.advance(1_000);
  const [first, second] = await take(2);
  expect(second! - first!).toBe(100);
});

test('the rate does not fall below a sixteenth', async () => {
  const { clock, limiter, take } = setUp({ burst: 1, perSecond: 10 });
  for (let i = 0; i < 20; i++) {
    limiter.penalise(10);
    await clock.advance(20);
  }
  await clock.advance(10_000);
  const [first, second] = await take(2);
  expect(second! - first!).toBe(1600);
});

test('one who stops waiting leaves the queue', async () => {
  const { clock, limiter } = setUp({ burst: 1, perSecond: 1 });
  await limiter.permit(never);
  const stop = new AbortController();
  const gone = limiter.permit(stop.signal);
  const next = limiter.permit(never);
  stop.abort();
  await expect(gone).rejects.toMatchObject({ kind: 'aborted' });
  await expect(limiter.permit(AbortSignal.abort())).rejects.toMatchObject({ kind: 'aborted' });
  const before = clock.now();
  await clock.until(next);
  expect(clock.now() - before).toBe(1_000);
  expect(clock.pending).toBe(0);
});

test('in no span of time more than burst and rate allow, first come first served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 30 }),
      async (burst, perSecond, delays) => {
        const { clock, limiter } = setUp({ burst, perSecond });
        const given: { at: number; i: number }[] = [];
        const all: Promise<unknown>[] = [];
        for (const [i, delay] of delays.entries()) {
          await clock.advance(delay);
          all.push(limiter.permit(never).then(() => given.push({ at: clock.now(), i })));
        }
        await clock.until(Promise.all(all));
        expect(given.map(({ i }) => i)).toEqual(delays.map((_delay, i) => i));
        for (const [from, first] of given.entries())
          for (const [to, last] of given.entries())
            if (to >= from)
              expect(to - from + 1).toBeLessThanOrEqual(burst + ((last.at - first.at) * perSecond) / 1000 + 1e-6);
      },
    ),
    { numRuns: 60, seed: 20260104 },
  );
});

test('after a pause no burst leaves, but one request at a time', async () => {
  const { limiter, take } = setUp({ burst: 100, perSecond: 10 });
  limiter.penalise(4_000);
  expect(await take(3)).toEqual([4_000, 4_200, 4_400]);
});

test('a long pause is told to those who wait and to those who come, in every bucket', async () => {
  const { clock, limiter } = setUp({ burst: 1, perSecond: 1 }, { burst: 1, perSecond: 1 });
  const waiting = [0, 1, 2, 3].map((i) => limiter.permit(never, `b${i % 2}`));
  limiter.penalise(300_000); // Cloudflare: "blocked for the next five minutes"
  const told = new LimitRefusal('paused', 300_000);
  expect(await Promise.allSettled(waiting)).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: told },
    { status: 'rejected', reason: told },
  ]);
  await clock.advance(294_000);
  await expect(limiter.permit(never)).rejects.toMatchObject({ why: 'paused', retryAfterMs: 6_000 });
  await clock.advance(1_000);
  await clock.until(limiter.permit(never));
  expect(clock.pending).toBe(0);
});

test('a permit that would come too late is refused at once, and does not delay the others', async () => {
  const { clock, limiter, start } = setUp({ burst: 1, perSecond: 1 });
  const latestAt = start + 3_000;
  const asked = Array.from({ length: 6 }, () => limiter.permit(never, undefined, 1, latestAt));
  const outcomes = await clock.until(Promise.allSettled(asked));
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), ...Array(2).fill('rejected')]);
  expect(outcomes[5]).toMatchObject({ reason: { why: 'busy', retryAfterMs: 4_000 } });
  expect(clock.now() - start).toBe(3_000);
});

test('a slower rate refuses those who would be too late by it', async () => {
  const { clock, limiter, start } = setUp({ burst: 1, perSecond: 1 });
  const asked = Array.from({ length: 5 }, () => limiter.permit(never, undefined, 1, start + 4_000));
  limiter.penalise(1_000);
  const outcomes = await clock.until(Promise.allSettled(asked));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(clock.pending).toBe(0);
});

test('five thousand may wait and leave in any order', async () => {
  const { clock, limiter } = setUp({ burst: 1, perSecond: 1 });
  const stops = Array.from({ length: 5_000 }, () => new AbortController());
  const waiting = Promise.allSettled(stops.map(({ signal }) => limiter.permit(signal)));
  for (const stop of stops.reverse()) stop.abort();
  expect((await waiting).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test('whatever the service answers: never more than declared, and nothing within a pause', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), n: fc.integer({ min: 1, max: 8 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('limited' as const), n: fc.integer({ min: 0, max: 9_000 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('answered' as const), n: fc.integer({ min: 1, max: 9 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 4 }), step), { maxLength: 25 }),
      async (burst, perSecond, steps) => {
        const { clock, limiter } = setUp({ burst, perSecond });
        const given: { at: number; cost: number }[] = [];
        const pauses: { from: number; until: number }[] = [];
        const all: Promise<unknown>[] = [];
        const costs = Math.min(burst, 4);
        for (const [delay, size, { do: what, n }] of steps) {
          await clock.advance(delay);
          const cost = Math.min(size, costs);
          if (what === 'ask')
            for (let i = 0; i < n; i++)
              all.push(
                limiter.permit(never, undefined, cost).then(
                  () => given.push({ at: clock.now(), cost }),
                  (error: unknown) => expect(error).toBeInstanceOf(LimitRefusal),
                ),
              );
          await clock.advance(0);
          if (what === 'limited') {
            limiter.penalise(n);
            pauses.push({ from: clock.now(), until: clock.now() + n });
          }
          if (what === 'answered') for (let i = 0; i < n; i++) limiter.recover();
        }
        await clock.until(Promise.all(all));
        for (const { at } of given) for (const { from, until } of pauses) expect(at <= from || at >= until).toBe(true);
        for (const [from, first] of given.entries()) {
          let sum = 0;
          for (const { at, cost } of given.slice(from)) {
            sum += cost;
            expect(sum).toBeLessThanOrEqual(burst + ((at - first.at) * perSecond) / 1000 + 1e-6);
          }
        }
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 60, seed: 20261121 },
  );
});
