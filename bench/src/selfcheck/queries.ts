import { SeededRandom } from '@zoneproof/provider-testkit';
import { servers } from './delays.ts';
import { legoCheck, legoVersion } from './lego.ts';
import { startsAt, valueIn } from './simulated-zones.ts';
import { type Spread, spread } from './spread.ts';
import { type Delays, type Queries, watchValues } from './watch-values.ts';

/** Questions for many challenges in one zone, by what they were for. */
export interface QueriesRow extends Queries {
  readonly load: string;
  readonly client: string;
  readonly challenges: number;
  readonly perChallenge: number;
  /** As in a DelayRow. */
  readonly passedMs: Spread;
}

/** 1,000 challenges in one zone on 4 servers, whose lags up to 60 s are those of a batch. */
export async function queriesRows(seed: number): Promise<readonly QueriesRow[]> {
  return [...(await rowsOf('written at once', 1, seed)), ...(await rowsOf('40 writes of 25, one a second', 40, seed))];
}

const challenges = 1000;

async function rowsOf(load: string, batches: number, seed: number): Promise<readonly QueriesRow[]> {
  const random = new SeededRandom(seed);
  const writes = Array.from({ length: batches }, (_, batch) => ({
    presentedAt: startsAt + 10_000 + batch * 1000,
    lagsMs: Array.from({ length: servers }, () => random.between(0, 60_000)),
  }));
  const values = Array.from({ length: challenges }, (_, at) =>
    valueIn(0, at, writes[at % batches] as (typeof writes)[number]),
  );
  const { queries, delays } = await watchValues(values, servers, seed);
  const lego = values.map(legoCheck);
  const total = (stage: keyof Queries) => lego.reduce((sum, { queries }) => sum + queries[stage], 0);
  const legoQueries = { locate: total('locate'), watch: total('watch'), confirm: total('confirm') };
  return [row(load, 'zoneproof', queries, delays), row(load, `lego ${legoVersion} by its code`, legoQueries, lego)];
}

function row(load: string, client: string, queries: Queries, delays: readonly Pick<Delays, 'passedMs'>[]): QueriesRow {
  const perChallenge = (queries.locate + queries.watch + queries.confirm) / challenges;
  const passedMs = spread(delays.map((delay) => delay.passedMs));
  return { load, client, challenges, ...queries, perChallenge, passedMs };
}
