import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import type { Capabilities } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createRecordWriter, type Ledger, MemoryLedger, type RecordWriter, type WriteOutcome } from './index.ts';
import { DoomedProcess } from './testing/crash.ts';
import { FakeService, type Fault, zone } from './testing/fake-service.ts';

interface Step {
  readonly owner: string;
  readonly state: 'present' | 'absent';
  readonly records: readonly { readonly name: string; readonly value: string }[];
  readonly delayMs: number;
  readonly stopAfterMs: number | undefined;
}

const names = ['_acme-challenge.example.com', '_acme-challenge.www.example.com'];

const step: fc.Arbitrary<Step> = fc.record({
  owner: fc.constantFrom('ns/o1', 'ns/o2', 'ns/o3'),
  state: fc.constantFrom('present', 'present', 'absent'),
  records: fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...names), value: fc.constantFrom('a', 'a', 'b', 'cc', 'bad') }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ name, value }) => `${name} ${value}`,
    },
  ),
  delayMs: fc.constantFrom(0, 0, 5, 50, 120, 1500),
  stopAfterMs: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined, freq: 4 }),
});

const fault: fc.Arbitrary<Fault | undefined> = fc.constantFrom<Fault | undefined>(
  undefined,
  undefined,
  undefined,
  'lost-answer',
  'lost-request',
  'broken',
  'silent',
  { kind: 'conflict' },
  { kind: 'unavailable' },
  { kind: 'rate-limited', retryAfterMs: 2_000 },
  { kind: 'auth' },
);

const capabilities: fc.Arbitrary<Partial<Capabilities>> = fc.record({
  writeScope: fc.constantFrom('none', 'name', 'zone', 'account'),
  batch: fc.record({
    maxChanges: fc.constantFrom(1, 2, 5, 50),
    atomic: fc.boolean(),
    maxValueBytes: fc.constantFrom(1, 3, 1000),
  }),
  buckets: fc.constantFrom([], [{ name: 'requests', burst: 2, perSecond: 5, source: 'test' }]),
});

function openWriter(ledger: Ledger, clock: FakeClock): RecordWriter {
  return createRecordWriter({ ledger, clock, timers: clock, random: (length) => new Uint8Array(length).fill(77) });
}

async function play(
  steps: readonly Step[],
  write: (step: Step, signal: AbortSignal) => Promise<readonly WriteOutcome[]>,
  clock: FakeClock,
): Promise<{ step: Step; outcomes: Promise<readonly WriteOutcome[]> }[]> {
  const played = [];
  for (const one of steps) {
    await clock.advance(one.delayMs);
    const stop = new AbortController();
    if (one.stopAfterMs !== undefined) clock.setTimeout(() => stop.abort(), one.stopAfterMs);
    played.push({ step: one, outcomes: write(one, stop.signal) });
  }
  return played;
}

const toRecords = (one: Step) => one.records.map(({ name, value }) => ({ name: toDnsName(name), value }));

function setUp(given: Partial<Capabilities>, faults: readonly (Fault | undefined)[]) {
  const clock = new FakeClock();
  const ledger = new MemoryLedger();
  const service = new FakeService({ clock, ledger, capabilities: given });
  for (const name of names) service.plant(name, 'foreign');
  service.refused.set('bad', 'invalid');
  service.faults.push(...faults);
  return { clock, ledger, service };
}

/** What a controller does with every entry that is left, until none is. */
async function cleanUp(clock: FakeClock, ledger: MemoryLedger, service: FakeService): Promise<void> {
  service.faults.length = 0;
  service.refused.clear();
  const writer = openWriter(ledger, clock);
  for (let round = 0; ledger.entries().length > 0; round++) {
    if (round === 3) throw new Error('cleaning up does not end');
    const signal = new AbortController().signal;
    const all = ledger.entries().map((entry) => {
      const records = [{ name: entry.name, value: entry.value }];
      return writer.write({ owner: entry.owner, provider: service.bind(), zone, state: 'absent', records, signal });
    });
    await clock.until(Promise.all(all));
    await clock.advance(60_000);
  }
  await writer.close();
}

test('whatever fails: no breach of the contract, every request is answered, and the zone can be cleaned to the last value', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(fault, { maxLength: 12 }),
      capabilities,
      async (steps, faults, given) => {
        const { clock, ledger, service } = setUp(given, faults);
        const slowLedger = new DoomedProcess(ledger, clock, Number.POSITIVE_INFINITY);
        const writer = openWriter(slowLedger, clock);
        const bound = service.bind();
        const played = await play(
          steps,
          ({ owner, state, ...one }, signal) =>
            writer.write({ owner, provider: bound, zone, state, records: toRecords({ owner, state, ...one }), signal }),
          clock,
        );
        const outcomes = await clock.until(Promise.all(played.map((one) => one.outcomes)));
        expect(outcomes.map((some) => some.length)).toEqual(steps.map((one) => one.records.length));
        await clock.advance(100_000);

        // Where every request about a value was confirmed, the value is there exactly as long as someone wants it.
        for (const name of names)
          for (const value of ['a', 'b', 'cc']) {
            const about = played.flatMap(({ step: one }, i) =>
              one.records.flatMap((record, at) =>
                record.name === name && record.value === value ? [{ one, outcome: outcomes[i]![at]! }] : [],
              ),
            );
            if (about.some(({ outcome }) => outcome.status !== 'done')) continue;
            const last = new Map(about.map(({ one }) => [one.owner, one.state]));
            expect([value, service.at(name).includes(value)]).toEqual([value, [...last.values()].includes('present')]);
          }

        await writer.close();
        await cleanUp(clock, ledger, service);
        for (const name of names) expect(service.at(name)).toEqual(['foreign']);
        expect(service.breaches).toEqual([]);
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 150, seed: 20260101 },
  );
});

test('killed between any two effects, the ledger covers every value that may be in the zone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(fault, { maxLength: 4 }),
      capabilities,
      async (steps, faults, given) => {
        const boundaries = await runUntilDeath(steps, faults, given, Number.POSITIVE_INFINITY);
        for (let dieAt = 0; dieAt < boundaries; dieAt++) await runUntilDeath(steps, faults, given, dieAt);
      },
    ),
    { numRuns: 30, seed: 20260102 },
  );
}, 30_000);

/** Returns how many boundaries between effects were passed. */
async function runUntilDeath(
  steps: readonly Step[],
  faults: readonly (Fault | undefined)[],
  given: Partial<Capabilities>,
  dieAt: number,
): Promise<number> {
  const { clock, ledger, service } = setUp(given, faults);
  const doomed = new DoomedProcess(ledger, clock, dieAt);
  const writer = openWriter(doomed, clock);
  const bound = doomed.bind(service.bind());
  await play(
    steps,
    (one, signal) =>
      writer.write({ owner: one.owner, provider: bound, zone, state: one.state, records: toRecords(one), signal }),
    clock,
  );
  await clock.advance(200_000);

  for (const name of names)
    for (const value of service.at(name)) {
      const isRecorded = ledger.entries().some((entry) => entry.name === name && entry.value === value);
      expect([value, value === 'foreign' || isRecorded]).toEqual([value, true]);
    }
  const breaches = [...service.breaches];
  await cleanUp(clock, ledger, service);
  for (const name of names) expect(service.at(name)).toEqual(['foreign']);
  expect(breaches).toEqual([]);
  return doomed.passed;
}
