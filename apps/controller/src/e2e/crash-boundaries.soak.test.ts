import { jest } from '@jest/globals';
import { type EffectName, effectNames } from '../effects/effects.ts';
import { requestControl } from '../store/control-socket.ts';
import { beginAudit } from './crash-audit.ts';
import type { Boundary } from './crash-process.ts';
import { issuances, type Lane, openLane, type Scenario, scenarios } from './crash-scenarios.ts';
import { wrongEnd } from './crash-world.ts';

jest.setTimeout(3_600_000);

/** `npm test` kills at the first visit of each boundary, in one scenario; the soak at every visit, in both. */
const isSoak = process.env.ZONEPROOF_SOAK_SECONDS !== undefined;
/** Two cores, two processes at a time. */
const laneCount = 2;
/** Not part of a run by itself: somebody asks for it. */
const onRequest: EffectName = 'certificate.request-renewal';
const ownEffects = effectNames.filter((name) => name !== onRequest);

let lanes: readonly Lane[] = [];
let crashes: ReadonlyMap<EffectName, Promise<readonly string[]>> = new Map();

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: laneCount }, openLane));
  crashes = startCrashes();
});

afterAll(async () => {
  await Promise.allSettled(crashes.values());
  await Promise.all(lanes.map(({ world }) => world.close()));
});

test('the scenarios visit every effect', () => {
  const visited = lanes.flatMap(({ visits }) => Object.values(visits).flat()).map((boundary) => boundary.split(' ')[0]);
  expect([...new Set(visited)].sort()).toEqual([...ownEffects].sort());
});

test.each(ownEffects)('killed before and after %s: the next start sets everything right', async (effect) => {
  expect(await crashes.get(effect)).toEqual([]);
});

test.each([
  ['before', 0],
  ['after', 1],
] as const)('killed %s a request for renewal is stored: it counts from then on', async (moment, renewals) => {
  await Promise.all(crashes.values());
  const [{ world, current }] = lanes as [Lane];
  const stateDir = await world.newState(current);
  const audit = await beginAudit(world, stateDir, { app: renewals });
  const dying = world.run(stateDir, { killAt: { boundary: `${onRequest} ${moment}`, occurrence: 1 } }, { goOn: true });
  let signal: string | null | undefined;
  void dying.ended.then((ended) => {
    signal = ended.signal;
  });
  while (signal === undefined) {
    const answer = await requestControl(stateDir, { do: 'renew', namespace: 'default', name: 'app' });
    expect(answer).not.toEqual({ ok: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(signal).toBe('SIGKILL');
  const ended = await world.run(stateDir).ended;
  expect([...wrongEnd(ended), ...(await audit.afterwards())]).toEqual([]);
});

/** Each lane takes one effect after the other. */
function startCrashes(): ReadonlyMap<EffectName, Promise<readonly string[]>> {
  const results = new Map<EffectName, Promise<readonly string[]>>();
  const ends = lanes.map((): Promise<unknown> => Promise.resolve());
  ownEffects.forEach((effect, index) => {
    const at = index % laneCount;
    const result = (ends[at] as Promise<unknown>).then(() => crashAround(effect, lanes[at] as Lane));
    ends[at] = result.catch(() => undefined);
    results.set(effect, result);
  });
  return results;
}

async function crashAround(effect: EffectName, lane: Lane): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const scenario of scenarios) {
    const times = lane.visits[scenario].filter((boundary) => boundary === `${effect} before`).length;
    if (times === 0) continue;
    for (let visit = 1; visit <= (isSoak ? times : 1); visit++)
      wrong.push(...(await crashAndRecover(effect, visit, scenario, lane)));
    if (!isSoak) return wrong;
  }
  return wrong;
}

/**
 * One process dies before the effect. The next one, which has to come to the effect again, dies after it. The third one
 * has to set everything right.
 */
async function crashAndRecover(
  effect: EffectName,
  visit: number,
  scenario: Scenario,
  { world, start }: Lane,
): Promise<readonly string[]> {
  const stateDir = await world.newState(start[scenario]);
  const audit = await beginAudit(world, stateDir, issuances);
  const wrong: string[] = [];
  for (const moment of ['before', 'after'] as const) {
    const boundary: Boundary = `${effect} ${moment}`;
    const ended = await world.run(stateDir, { killAt: { boundary, occurrence: visit } }).ended;
    // How often an effect is visited may depend on the order in which answers come in; that it is visited does not.
    if (ended.signal !== 'SIGKILL' && (visit === 1 || ended.code !== 0))
      wrong.push(`it was not killed ${moment}: ${ended.code ?? ended.signal} ${ended.output}`);
    wrong.push(...(await audit.afterCrash()).map((what) => `killed ${moment}: ${what}`));
  }
  const ended = await world.run(stateDir).ended;
  wrong.push(...wrongEnd(ended), ...(await audit.afterwards()));
  return wrong.map((what) => `${scenario}, visit ${visit}: ${what}`);
}
