import { delayRows } from './delays.ts';
import { legoCheck } from './lego.ts';
import { waitForPending } from './pending.ts';
import { queriesRows } from './queries.ts';
import { startsAt, valueIn } from './simulated-zones.ts';

test('with 4 servers that lag up to 60 s, 95 % of checks pass within 1.5 s', async () => {
  const rows = await delayRows(true, 7);
  const own = rows.filter(({ client, load }) => client === 'zoneproof' && !load.includes('every second'));
  expect(own).toHaveLength(3);
  for (const { passedMs, confirmedMs } of own) {
    expect(passedMs.p50).toBeGreaterThan(0);
    expect(passedMs.p95).toBeLessThan(1500);
    expect(confirmedMs.p50).toBeGreaterThanOrEqual(passedMs.p50 + 1000);
  }
}, 30_000);

test('1,000 challenges in one zone on 4 servers take at most 12 queries each', async () => {
  const rows = await queriesRows(7);
  const own = rows.filter(({ client }) => client === 'zoneproof');
  expect(own).toHaveLength(2);
  for (const { locate, watch, confirm } of own) {
    // NS, SOA, and A and AAAA of each name server once; the name itself once.
    expect(locate).toBe(1000 + 2 + 2 * 4);
    // Every server is seen to have every value once, and what is asked before that is shared by a batch.
    expect(watch).toBeGreaterThan(4000);
    expect(confirm).toBe(4000);
  }
  for (const { perChallenge } of own) expect(perChallenge).toBeLessThanOrEqual(12);
}, 30_000);

test('challenges that wait cost each server eight queries a second at most, fewer by and by', async () => {
  const load = { challenges: 400, zones: 2, batch: 25, minutes: 6 };
  const { perSecondFirst, perSecondLast, queries } = await waitForPending(load, 7);
  expect(perSecondFirst).toBeLessThanOrEqual(8.2);
  expect(perSecondLast).toBeLessThan(perSecondFirst);
  expect(await waitForPending(load, 7)).toMatchObject({ queries });
}, 30_000);

test('another client is told with what its code does for the same lags', () => {
  const value = valueIn(0, 0, {
    presentedAt: startsAt,
    lagsMs: [500, 2500, 5000, 3000],
  });
  // At 2 s two questions to the resolver, NS, and two servers; at 4 s all but the third server; at 6 s all.
  expect(legoCheck(value)).toEqual({
    passedMs: 1000,
    queries: { locate: 5, watch: 5 + 6 + 7, confirm: 0 },
  });
});
