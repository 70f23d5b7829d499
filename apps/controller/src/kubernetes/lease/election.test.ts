import { decide, type Election, type Instant, mayAct, observed, renewed, type Terms } from './election.ts';

const terms: Terms = { me: 'me', durationMs: 15_000 };
const at = (monotonic: number, wall = monotonic): Instant => ({ monotonic, wall });
const record = (holder: string, version = '1', durationMs: number | undefined = 15_000) => ({
  holder,
  version,
  durationMs,
});
const seen = (what: NonNullable<Election['seen']>['record'], since = 0): Election => ({
  seen: { record: what, since: at(since) },
});
const leading = renewed(record('me'), at(0), at(40), terms, 0);

test.each<[string, Election, number, unknown]>([
  ['nothing is known', {}, 0, { do: 'look', ms: 0 }],
  ['there is no Lease', seen('absent'), 0, { do: 'create' }],
  ['it was given back', seen(record('')), 0, { do: 'take' }],
  ['a write of ours went unanswered', seen(record('me')), 0, { do: 'take' }],
  ['another holds it', seen(record('other')), 14_999, { do: 'look', ms: 800 }],
  ['another held it and was not heard of for its duration', seen(record('other')), 15_000, { do: 'take' }],
  ['the holder counts on longer', seen(record('other', '1', 60_000)), 59_999, { do: 'look', ms: 800 }],
  ['the record has no duration', seen(record('other', '1', undefined)), 15_000, { do: 'take' }],
  ['the record has an absurd duration', seen(record('other', '1', 1e12)), 600_000, { do: 'take' }],
  ['we lead', leading, 1_000, { do: 'rest', ms: 4_000 }],
  ['a third of the time is over', leading, 5_000, { do: 'renew' }],
  [
    'the time is over',
    leading,
    12_000,
    { do: 'step-down', why: 'it was last renewed 12.0 s ago by the monotonic clock' },
  ],
  [
    'another took it',
    { ...leading, ...seen(record('other')) },
    100,
    { do: 'step-down', why: 'other is its holder now' },
  ],
  ['somebody deleted it', { ...leading, ...seen('absent') }, 100, { do: 'step-down', why: 'somebody deleted it' }],
])('%s', (_title, election, now, step) => expect(decide(election, terms, at(now), 0)).toEqual(step));

test('candidates and renewals spread out, and never to a later time', () => {
  expect(decide(seen(record('other')), terms, at(0), 0.99)).toEqual({ do: 'look', ms: expect.closeTo(602) });
  expect(renewed(record('me'), at(0), at(40), terms, 0.99).held?.renewAt).toBeCloseTo(4_505);
});

test('a renewal by another starts the wait anew, the same record does not', () => {
  const first = observed({}, record('other', '1'), terms, at(0));
  const same = observed(first, record('other', '1'), terms, at(9_000));
  const renewal = observed(same, record('other', '2'), terms, at(14_000));
  expect([same.seen?.since.monotonic, renewal.seen?.since.monotonic]).toEqual([0, 14_000]);
});

test('a Lease that was deleted under its holder is left alone for as long as the holder may count on it', () => {
  const before = observed({}, record('other'), terms, at(0));
  const early = observed(before, 'absent', terms, at(14_000));
  expect(decide(early, terms, at(14_000), 0)).toMatchObject({ do: 'look' });
  expect(decide(observed(early, 'absent', terms, at(15_000)), terms, at(15_000), 0)).toEqual({ do: 'create' });
});

test.each<[string, Instant, boolean]>([
  ['just before four fifths of the duration', at(11_999), true],
  ['at four fifths of the duration since the renewal began', at(12_000), false],
  ['after a sleep in which the monotonic clock stood still', at(50, 60_000), false],
  ['with the wall clock set back', at(50, -60_000), true],
])('may act %s: %#', (_title, now, expected) => expect(mayAct(leading, terms, now)).toBe(expected));

test('a wall clock that was set forward does not make a candidate take over early', () =>
  expect(decide(seen(record('other')), terms, at(1_000, 1e9), 0)).toMatchObject({ do: 'look' }));
