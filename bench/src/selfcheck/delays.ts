import { SeededRandom } from '@zoneproof/provider-testkit';
import { legoCheck, legoVersion } from './lego.ts';
import { type BenchValue, startsAt, valueIn } from './simulated-zones.ts';
import { type Spread, spread } from './spread.ts';
import { type Delays, watchValues } from './watch-values.ts';

/** Time from the moment at which the last server had a value. */
export interface DelayRow {
  readonly load: string;
  readonly client: string;
  readonly values: number;
  /** The check has passed, confirmation not counted. */
  readonly passedMs: Spread;
  /** It is confirmed, and the CA is asked. */
  readonly confirmedMs: Spread;
  readonly queriesPerValue: number;
}

export const servers = 4;
const longestLagMs = 60_000;

/** Values that come at servers late, each by another lag up to 60 s: one by one, in batches, and in steady streams. */
export async function delayRows(quick: boolean, seed: number): Promise<readonly DelayRow[]> {
  const random = new SeededRandom(seed);
  const lags = () => Array.from({ length: servers }, () => random.between(0, longestLagMs));
  const alone = Array.from({ length: quick ? 40 : 1000 }, (_, zone) => [
    valueIn(zone, 0, { presentedAt: firstAt(random), lagsMs: lags() }),
  ]);
  const batches = Array.from({ length: quick ? 4 : 100 }, (_, zone) => {
    const together = { presentedAt: firstAt(random), lagsMs: lags() };
    return Array.from({ length: 50 }, (_, at) => valueIn(zone, at, together));
  });
  const stream = (everySeconds: number) =>
    Array.from({ length: quick ? 40 : 600 }, (_, at) =>
      valueIn(0, at, { presentedAt: startsAt + 10_000 + at * everySeconds * 1000, lagsMs: lags() }),
    );
  return [
    ...(await rowsOf('one value in a zone', alone, seed)),
    ...(await rowsOf('50 values written at once', batches, seed)),
    ...(await rowsOf('a value every 10 s in one zone', [stream(10)], seed)),
    ...(await rowsOf('a value every second in one zone', [stream(1)], seed)),
  ];
}

/** After all names are located, at any part of a second. */
function firstAt(random: SeededRandom): number {
  return startsAt + 10_000 + random.between(0, 999);
}

async function rowsOf(
  load: string,
  worlds: readonly (readonly BenchValue[])[],
  seed: number,
): Promise<readonly DelayRow[]> {
  const delays: Delays[] = [];
  let queries = 0;
  // One after another: nothing that is asked in one world holds up another.
  for (const [at, values] of worlds.entries()) {
    const seen = await watchValues(values, servers, seed + at);
    delays.push(...seen.delays);
    queries += seen.queries.locate + seen.queries.watch + seen.queries.confirm;
  }
  const peer = worlds.flat().map(legoCheck);
  const values = delays.length;
  const legoDelays = spread(peer.map(({ passedMs }) => passedMs));
  const legoQueries = peer.reduce((sum, { queries: { locate, watch } }) => sum + locate + watch, 0);
  return [
    {
      load,
      client: 'zoneproof',
      values,
      passedMs: spread(delays.map(({ passedMs }) => passedMs)),
      confirmedMs: spread(delays.map(({ confirmedMs }) => confirmedMs)),
      queriesPerValue: queries / values,
    },
    {
      load,
      client: `lego ${legoVersion} by its code`,
      values,
      passedMs: legoDelays,
      confirmedMs: legoDelays,
      queriesPerValue: legoQueries / values,
    },
  ];
}
