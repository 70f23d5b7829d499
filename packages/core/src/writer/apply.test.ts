import { type DnsName, toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { type ChangeOutcome, ProviderError, type ProviderErrorKind, type TxtChange } from '../contract/index.ts';
import { applyUntilSettled, type RepeatReason, type SettledOutcome } from './apply.ts';

const change = (i: number): TxtChange => ({
  state: 'present',
  name: toDnsName(`_acme-challenge.n${i}.example.com`),
  value: `v${i}`,
  ttl: 60,
  held: { values: [], ttl: undefined },
});
const failed = (kind: ProviderErrorKind): ChangeOutcome => ({
  status: 'failed',
  error: new ProviderError({ kind, message: kind }),
});
const thousand = Array.from({ length: 1_000 }, (_, i) => change(i));

/** Applies `changes` at a service that answers each request by `answer`; tells what was sent. */
async function apply(
  changes: readonly TxtChange[],
  answer: (part: readonly TxtChange[], request: number) => readonly ChangeOutcome[],
  atomic = true,
) {
  const sent: (readonly TxtChange[])[] = [];
  const why: RepeatReason[] = [];
  const outcomes = await applyUntilSettled(changes, atomic, {
    async once(part) {
      sent.push(part);
      return answer(part, sent.length);
    },
    async beforeRepeat(reason) {
      why.push(reason);
    },
    stopped: () => false,
  });
  return { sent, why, outcomes };
}

/** All or none: one bad change refuses the whole request, and the answer does not say which it was. */
function atomicWith(bad: ReadonlySet<DnsName>, kind: ProviderErrorKind = 'invalid') {
  const written = new Set<DnsName>();
  const answer = (part: readonly TxtChange[]): readonly ChangeOutcome[] => {
    if (part.some(({ name }) => bad.has(name))) return part.map(() => failed(kind));
    for (const { name } of part) written.add(name);
    return part.map(() => ({ status: 'changed' }));
  };
  return { written, answer };
}

const namesOf = (...places: number[]) => new Set(places.map((i) => change(i).name));
const tally = (outcomes: readonly SettledOutcome[]) => ({
  changed: outcomes.filter(({ status }) => status === 'changed').length,
  refused: outcomes.filter((one) => one.status === 'failed' && one.together !== true).length,
  together: outcomes.filter((one) => 'together' in one).length,
});

test.each([0, 1, 499, 500, 998, 999])('one bad change among 1,000, at place %i: 2 log2 n requests', async (place) => {
  const { answer, written } = atomicWith(namesOf(place));
  const { sent, outcomes } = await apply(thousand, answer);
  expect(tally(outcomes)).toEqual({ changed: 999, refused: 1, together: 0 });
  expect(outcomes[place]?.status).toBe('failed');
  expect(written.size).toBe(999);
  expect(sent.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(1_000)) + 1);
});

test('a provider that blames the one change costs two requests', async () => {
  const bad = change(700).name;
  const { sent, outcomes } = await apply(thousand, (part) =>
    part.some(({ name }) => name === bad)
      ? part.map(({ name }) => failed(name === bad ? 'invalid' : 'conflict'))
      : part.map(() => ({ status: 'changed' })),
  );
  expect(sent.map(({ length }) => length)).toEqual([1_000, 999]);
  expect(tally(outcomes)).toEqual({ changed: 999, refused: 1, together: 0 });
});

test.each<[string, (i: number) => boolean]>([
  ['every second change', (i) => i % 2 === 0],
  ['every tenth', (i) => i % 10 === 3],
  ['one half', (i) => i < 500],
  ['all but one', (i) => i !== 321],
  ['all', () => true],
])('%s of 1,000 is bad: a bounded number of requests, and the rest comes another time', async (_title, isBad) => {
  const bad = new Set(thousand.filter((_, i) => isBad(i)).map(({ name }) => name));
  const { answer } = atomicWith(bad);
  const { sent, outcomes } = await apply(thousand, answer);
  expect(sent.length).toBeLessThanOrEqual(90);
  const { refused, together, changed } = tally(outcomes);
  expect(refused + together + changed).toBe(1_000);
  expect(refused).toBeGreaterThanOrEqual(1);
  outcomes.forEach((outcome, i) => {
    if (outcome.status === 'changed') expect(isBad(i)).toBe(false);
    else if (!('together' in outcome)) expect(isBad(i)).toBe(true);
  });
});

test('tried another time without those that were found, all good ones go through in the end', async () => {
  const isBad = (i: number) => i % 100 === 7;
  const { answer, written } = atomicWith(new Set(thousand.filter((_, i) => isBad(i)).map(({ name }) => name)));
  let open: readonly TxtChange[] = thousand;
  let rounds = 0;
  while (open.length > 0 && rounds++ < 10) {
    const { outcomes } = await apply(open, answer);
    open = open.filter((_, i) => 'together' in outcomes[i]!);
  }
  expect(written.size).toBe(990);
  expect(rounds).toBeLessThanOrEqual(3);
});

test('of a batch with one conflict only that change is sent again', async () => {
  const { sent, outcomes } = await apply(
    thousand,
    (part, request) => part.map((_, i) => (request === 1 && i === 42 ? failed('conflict') : { status: 'changed' })),
    false,
  );
  expect(sent.map(({ length }) => length)).toEqual([1_000, 1]);
  expect(sent[1]?.[0]).toBe(thousand[42]);
  expect(tally(outcomes).changed).toBe(1_000);
});

test('where a conflict refuses the whole batch, the whole batch is sent again', async () => {
  const { sent, why } = await apply(thousand, (part, request) =>
    part.map(() => (request < 3 ? failed('conflict') : { status: 'changed' })),
  );
  expect(sent.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000]);
  expect(why).toEqual(['conflict', 'conflict']);
});

test('of a batch with an answer lost in part only that part is applied again, twice at most', async () => {
  const lost: ChangeOutcome = { status: 'unknown', error: new ProviderError({ kind: 'unavailable', message: 'lost' }) };
  const { sent, outcomes } = await apply(thousand, (part) =>
    part.map(({ value }) => (value === 'v1' || value === 'v2' ? lost : { status: 'changed' })),
  );
  expect(sent.map(({ length }) => length)).toEqual([1_000, 2, 2]);
  expect(outcomes.filter(({ status }) => status === 'unknown')).toHaveLength(2);
});

test.each<ProviderErrorKind>(['rate-limited', 'unavailable', 'auth', 'zone-not-found', 'aborted'])(
  '%s meets the whole account or zone: one request',
  async (kind) => {
    const { sent } = await apply(thousand, (part) => part.map(() => failed(kind)));
    expect(sent).toHaveLength(1);
  },
);

test('whichever are bad: no good one is refused for good, and the requests are bounded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 300 })
        .chain((n) =>
          fc.tuple(
            fc.constant(n),
            fc.uniqueArray(fc.integer({ min: 0, max: n - 1 }), { maxLength: n }),
            fc.constantFrom<ProviderErrorKind>('invalid', 'permission', 'quota', 'action-required'),
          ),
        ),
      async ([n, bad, kind]) => {
        const { answer } = atomicWith(namesOf(...bad), kind);
        const { sent, outcomes } = await apply(thousand.slice(0, n), answer);
        expect(sent.length).toBeLessThanOrEqual(8 * Math.ceil(Math.log2(n + 1)) + 11);
        for (const [i, outcome] of outcomes.entries()) {
          if (outcome.status === 'changed') expect(bad).not.toContain(i);
          else if (!('together' in outcome)) expect(bad).toContain(i);
        }
        if (bad.length <= 1) expect(tally(outcomes).together).toBe(0);
      },
    ),
    { numRuns: 100, seed: 20261122 },
  );
});
