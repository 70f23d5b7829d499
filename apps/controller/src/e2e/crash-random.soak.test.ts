import { jest } from '@jest/globals';
import { beginAudit } from './crash-audit.ts';
import { issuances, type Lane, openLane, scenarios } from './crash-scenarios.ts';
import { wrongEnd } from './crash-world.ts';

jest.setTimeout(24 * 3_600_000);

const seconds = Number(process.env.ZONEPROOF_SOAK_SECONDS ?? 8);
const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? 8555);
/** What the long form has to reach. */
const killsOfSoak = { seconds: 300, kills: 100 } as const;
/** Two cores, two processes at a time. */
const laneCount = 2;
const mostKillsInARow = 4;

let lanes: readonly Lane[] = [];

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: laneCount }, openLane));
});
afterAll(async () => {
  await Promise.all(lanes.map(({ world }) => world.close()));
});

test('killed at random moments, some times in a row: the last start sets everything right', async () => {
  const until = Date.now() + seconds * 1000;
  const tally = { kills: 0, runs: 0 };
  const wrong: string[] = [];
  await Promise.all(
    lanes.map(async (lane, index) => {
      const random = mulberry32(seed + index);
      while (Date.now() < until && wrong.length === 0) wrong.push(...(await crashAndRecover(lane, random, tally)));
    }),
  );
  console.info(`${tally.kills} processes were killed on the way to ${tally.runs} runs; seed ${seed}`);
  expect(wrong).toEqual([]);
  expect(tally.kills).toBeGreaterThanOrEqual(seconds >= killsOfSoak.seconds ? killsOfSoak.kills : 1);
});

async function crashAndRecover(
  { world, start, visits, lifeMs }: Lane,
  random: () => number,
  tally: { kills: number; runs: number },
): Promise<readonly string[]> {
  const scenario = scenarios[Math.floor(random() * scenarios.length)] as (typeof scenarios)[number];
  const stateDir = await world.newState(start[scenario]);
  const audit = await beginAudit(world, stateDir, issuances);
  const history: string[] = [scenario];
  const wrong: string[] = [];
  for (let left = 1 + Math.floor(random() * mostKillsInARow); left > 0; left--) {
    // By the clock, which falls into the middle of things and, by the root, more into work than into loading; or at a
    // boundary, which time alone would rarely hit.
    const byClock = random() < 0.6;
    const afterMs = Math.round(Math.sqrt(random()) * lifeMs * 1.1);
    const killAtIndex = Math.floor(random() * visits[scenario].length);
    const process = world.run(stateDir, byClock ? {} : { killAtIndex });
    const timer = byClock ? setTimeout(process.kill, afterMs) : undefined;
    const ended = await process.ended;
    clearTimeout(timer);
    const last = ended.boundaries.at(-1) ?? 'before the first boundary';
    history.push(`${byClock ? `${afterMs} ms` : `boundary ${killAtIndex}`} (${last}): ${ended.signal ?? ended.code}`);
    if (ended.signal === 'SIGKILL') tally.kills++;
    else wrong.push(...wrongEnd(ended));
    wrong.push(...(await audit.afterCrash()));
  }
  const ended = await world.run(stateDir).ended;
  tally.runs++;
  wrong.push(...wrongEnd(ended), ...(await audit.afterwards()));
  return wrong.map((what) => `${what} [${history.join('; ')}]`);
}

function mulberry32(seedOf: number): () => number {
  let state = seedOf >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
