import { toDnsName } from '@zoneproof/dns';
import { askedServers } from '../asked-server.ts';
import { nextLookAt } from '../schedule.ts';
import { placeOf } from '../testing/simulated-dns.ts';
import type { ServerEvidence } from '../types.ts';
import { decideWatch } from './decide.ts';
import { newZoneState, type Watched, type ZoneState } from './state.ts';
import { addWatched, settle } from './steps.ts';

const now = 1_000_000;
const two = ['192.0.2.1', '192.0.2.2'];
const rules = {
  nextLookAt,
  confirmAfterMs: 1000,
  confirmFlickeringAfterMs: 2000,
  asksSerials: true,
  maySayNothing: false,
};

interface Given {
  /** Names of values, and when each was presented, before now. */
  readonly values: Readonly<Record<string, number>>;
  readonly set?: (state: ZoneState, of: (value: string) => Watched) => void;
}

function stateOf({ values, set }: Given): ZoneState {
  const place = (value: string) => placeOf(`_acme-challenge.${value}.example.com`, 'example.com', two);
  const state = newZoneState(toDnsName('example.com'), askedServers(place('a')), [], rules);
  const watched = new Map(
    Object.entries(values).map(([value, agoMs]) => [
      value,
      addWatched(state, {
        key: value,
        location: place(value),
        values: ['v'],
        presentedAt: now - agoMs,
        changed: () => undefined,
      }),
    ]),
  );
  set?.(state, (value) => watched.get(value) as Watched);
  return state;
}

/** The answer of a source to a scout for `watched` some time ago. */
function answered(watched: Watched, index: number, finding: ServerEvidence['finding'], agoMs: number): void {
  watched.rows[index] = { server: 'ns', address: '192.0.2.1', transport: 'udp', finding };
  watched.askedAt[index] = now - agoMs;
  const lane = watched.cohort.lanes[index];
  if (lane === undefined) return;
  lane.last = finding;
  lane.looks = 1;
  if (finding === 'has') {
    lane.openedAt = now - agoMs;
    lane.pending.delete(watched);
  } else lane.nextLookAt = now - agoMs + 1000;
}

const silence: ServerEvidence = { server: 'ns1', address: '192.0.2.1', finding: 'unreachable', transport: 'udp' };

test.each<[string, Given, readonly string[], number | undefined]>([
  ['nothing is wanted', { values: {} }, [], undefined],
  ['a new value is looked for everywhere', { values: { a: 0 } }, ['scout a @1', 'scout a @2'], undefined],
  [
    'of two values of one write one is looked for',
    { values: { a: 10, b: 10 } },
    ['scout a @1', 'scout a @2'],
    undefined,
  ],
  [
    'two writes are two',
    { values: { a: 5_000, b: 10 } },
    ['scout a @1', 'scout b @1', 'scout a @2', 'scout b @2'],
    undefined,
  ],
  [
    'where it was not there, the time for the next look is kept',
    {
      values: { a: 10 },
      set: (_state, of) => [0, 1].map((index) => answered(of('a'), index, 'lacks', 400)),
    },
    [],
    now + 600,
  ],
  [
    'the other value of the write is looked for next',
    {
      values: { a: 10, b: 10 },
      set: (_state, of) => [0, 1].map((index) => answered(of('a'), index, 'lacks', 1000)),
    },
    ['scout b @1', 'scout b @2'],
    undefined,
  ],
  [
    'where one is there, each other is verified; elsewhere one is looked for',
    {
      values: { a: 10, b: 10, c: 10 },
      set: (_state, of) => {
        answered(of('a'), 0, 'has', 20);
        answered(of('a'), 1, 'lacks', 1000);
      },
    },
    ['verify b @1', 'verify c @1', 'scout b @2'],
    undefined,
  ],
  [
    'what was verified in vain is looked for again in its time',
    {
      values: { a: 10, b: 10 },
      set: (_state, of) => {
        for (const index of [0, 1]) {
          answered(of('a'), index, 'has', 20);
          answered(of('b'), index, 'lacks', 20);
          of('b').cohort.lanes[index]!.nextLookAt = now + 80;
        }
      },
    },
    [],
    now + 80,
  ],
  [
    'a value that all show is confirmed in its time',
    {
      values: { a: 10 },
      set: (state, of) => {
        for (const index of [0, 1]) answered(of('a'), index, 'has', 20);
        settle(state, of('a'), now - 10);
      },
    },
    [],
    now + 990,
  ],
  [
    'everywhere',
    {
      values: { a: 10 },
      set: (state, of) => {
        for (const index of [0, 1]) answered(of('a'), index, 'has', 1500);
        settle(state, of('a'), now - 1000);
      },
    },
    ['confirm a @1', 'confirm a @2'],
    undefined,
  ],
  [
    'later where a server has gone back and forth',
    {
      values: { a: 10 },
      set: (state, of) => {
        for (const index of [0, 1]) answered(of('a'), index, 'has', 1500);
        state.sources[1]!.flickers = true;
        settle(state, of('a'), now - 1000);
      },
    },
    [],
    now + 1000,
  ],
  [
    'a silent server is asked one question at a time, in its time',
    {
      values: { a: 5_000, b: 10 },
      set: (state) => {
        state.sources[0]!.silent = silence;
        state.sources[0]!.probeAt = now;
        state.sources[1]!.silent = silence;
        state.sources[1]!.probeAt = now + 700;
      },
    },
    ['probe a @1'],
    now + 700,
  ],
  [
    'eight questions a second for what is not there are enough',
    {
      values: { a: 10 },
      set: (state) => {
        for (const source of state.sources)
          source.misses = [990, 800, 700, 600, 500, 400, 300, 10].map((ago) => now - ago);
      },
    },
    [],
    now + 10,
  ],
  [
    'as many as are under way are enough, and their answers wake us',
    {
      values: { a: 10 },
      set: (state) => {
        for (const source of state.sources) source.inFlight = 64;
      },
    },
    [],
    undefined,
  ],
  [
    'two hundred a second are enough, and time brings more',
    {
      values: { a: 10 },
      set: (state) => {
        for (const source of state.sources) {
          source.tokens = 0.5;
          source.tokensAt = now;
        }
      },
    },
    [],
    now + 50,
  ],
  [
    'serials are asked for when a value takes its time',
    {
      values: { a: 10 },
      set: (_state, of) => {
        for (const index of [0, 1]) {
          answered(of('a'), index, 'lacks', 400);
          of('a').cohort.lanes[index]!.looks = 6;
        }
      },
    },
    ['serial @1', 'serial @2'],
    now + 600,
  ],
])('%s', (_title, given, questions, wakeAt) => {
  const state = stateOf(given);
  const before = describeState(state);
  const plan = decideWatch(state, now);
  const shown = plan.questions.map(
    ({ for: purpose, watched, source }) =>
      `${[purpose, watched?.wanted.key].filter(Boolean).join(' ')} @${source.index + 1}`,
  );
  expect(shown).toEqual(questions);
  expect(plan.wakeAt).toBe(wakeAt);
  expect(describeState(state)).toEqual(before);
});

function describeState({ sources, cohorts, serialsAt }: ZoneState): string {
  const lanes = [...cohorts.values()].map(({ lanes: all }) => all.map(({ pending, ...lane }) => [pending.size, lane]));
  return JSON.stringify([sources, lanes, serialsAt]);
}
