import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { FakeClock } from '../time/fake-clock.ts';
import { createRecordWriter, type Ledger, type LedgerEntry, MemoryLedger, type WriteOutcome } from './index.ts';
import { planSlots } from './slots.ts';
import { DoomedProcess } from './testing/crash.ts';
import { FakeRing } from './testing/fake-ring.ts';

const name = toDnsName('6f1c.auth.example.net');
const zone = { id: 'auth.example.net', name: toDnsName('auth.example.net') };

/** `a`, `b!` (evictable), `x:a` (of owner x). */
function entry(text: string): LedgerEntry {
  const [owner, value] = text.includes(':') ? text.split(':') : [text.replace('!', ''), text];
  const plain = value!.replace('!', '');
  return {
    id: `${owner} ${plain}`,
    owner: owner!,
    provider: { issuer: 'Issuer/default/ca', name: 'ring', key: 'ring', config: {} },
    account: 'ring:a',
    zone,
    name,
    value: plain,
    ttl: 1,
    since: 0,
    ...(text.endsWith('!') && { evictable: true }),
  };
}

const show = (entries: readonly LedgerEntry[]) =>
  entries.map((one) => `${one.owner === one.value ? '' : `${one.owner}:`}${one.value}${one.evictable ? '!' : ''}`);

test.each<[open: string[], wanted: string[], recent: boolean, expected: string[] | string]>([
  [[], ['a'], false, ['a']],
  [[], ['a'], true, ['a!']],
  [[], ['a', 'b'], false, ['a!', 'b!']],
  [[], ['a', 'b'], true, 'wait for the moment'],
  [[], ['a', 'b', 'c'], false, 'refuse'],
  [['a'], ['b'], false, ['a!', 'b']],
  [['a'], ['b'], true, ['a!', 'b!']],
  [['a!'], ['b'], false, 'wait for settle'],
  [['a'], ['b', 'c'], false, 'wait for settle'],
  [['a!', 'b'], ['c'], false, 'wait for settle'],
  [['b'], ['c'], false, ['b!', 'c']],
  [['a', 'b'], ['c'], false, 'wait for settle'],
  // Asked for again.
  [['a'], ['a'], false, ['a']],
  [['a'], ['a'], true, ['a!']],
  [['a!', 'b'], ['a'], false, ['a!', 'b!']],
  [['a!', 'b'], ['b'], false, ['a!', 'b']],
  [['a!', 'b!'], ['a', 'b'], false, ['a!', 'b!']],
  // One value, two owners.
  [['a'], ['x:a'], false, ['a', 'x:a']],
  [['a!', 'b'], ['x:a'], false, ['a!', 'b!', 'x:a!']],
  [['a', 'x:a'], ['b'], false, ['a!', 'x:a!', 'b']],
  [['a', 'x:a'], ['a'], true, ['a!', 'x:a!']],
])('open %j, wanted %j, written just now: %s -> %j', (open, wanted, recent, expected) => {
  const before = open.map(entry);
  const plan = planSlots(before, wanted.map(entry), 2, recent);
  if (plan.action !== 'write') {
    expect(plan.action === 'refuse' ? 'refuse' : `wait for ${plan.until === 'moment' ? 'the moment' : 'settle'}`).toBe(
      expected,
    );
    return;
  }
  expect([...show(plan.open)].sort()).toEqual([...expected].sort());
  const known = new Set(show(before));
  expect(show(plan.record).sort()).toEqual(
    show(plan.open)
      .filter((one) => !known.has(one))
      .sort(),
  );
});

function setUp(maxChanges = 2, ledger: Ledger = new MemoryLedger(), clock = new FakeClock()) {
  const ring = new FakeRing(clock, () => true, maxChanges);
  const writer = createRecordWriter({ ledger, clock, timers: clock, random: (length) => new Uint8Array(length) });
  const called: string[] = [];
  writer.onSlotFree((owner) => called.push(owner));
  const ask = (owner: string, state: 'present' | 'absent', ...values: string[]) =>
    writer.write({
      owner,
      provider: ring.bind(),
      zone,
      state,
      records: values.map((value) => ({ name, value })),
      signal: new AbortController().signal,
    });
  const statuses = async (request: Promise<readonly WriteOutcome[]>) =>
    (await clock.until(request)).map((outcome) => outcome.status);
  return { clock, ring, writer, called, ask, statuses };
}

describe('through the writer', () => {
  test.each([1, 2])('apex and wildcard go together or wait together, %d changes a batch', async (maxChanges) => {
    const { clock, ring, called, ask, statuses } = setUp(maxChanges);
    expect(await statuses(ask('ns/o1', 'present', 'a'))).toEqual(['done']);
    await clock.advance(5_000);
    expect(await statuses(ask('ns/o2', 'present', 'b', 'c'))).toEqual(['waiting', 'waiting']);
    expect([...ring.at(name)].sort()).toEqual(['', 'a']);
    expect(called).toEqual([]);
    expect(await statuses(ask('ns/o1', 'absent', 'a'))).toEqual(['done']);
    expect(called).toEqual(['ns/o2']);
    await clock.advance(5_000);
    expect(await statuses(ask('ns/o2', 'present', 'b', 'c'))).toEqual(['done', 'done']);
    expect([...ring.at(name)].sort()).toEqual(['b', 'c']);
  });

  test('removing sends nothing and overwrites nothing', async () => {
    const { clock, ring, ask, statuses } = setUp();
    await clock.advance(5_000);
    await statuses(ask('ns/o1', 'present', 'a', 'b'));
    expect(await statuses(ask('ns/o1', 'absent', 'a', 'b'))).toEqual(['done', 'done']);
    expect([...ring.at(name)].sort()).toEqual(['a', 'b']);
    expect(ring.writes).toBe(2);
  });

  test('a pair right after another write waits two seconds and is called then', async () => {
    const { clock, called, ask, statuses } = setUp();
    await statuses(ask('ns/o1', 'present', 'a'));
    await statuses(ask('ns/o1', 'absent', 'a'));
    const [outcome] = await clock.until(ask('ns/o2', 'present', 'b', 'c'));
    expect(outcome).toEqual({
      status: 'waiting',
      reason: 'ring "ring": the last write at 6f1c.auth.example.net may be less than 2 s old',
    });
    expect(called).toEqual([]);
    await clock.advance(2_000);
    expect(called).toEqual(['ns/o2']);
    expect(await statuses(ask('ns/o2', 'present', 'b', 'c'))).toEqual(['done', 'done']);
  });

  test('right after the start a pair waits and a single value is not followed: an earlier process may just have written', async () => {
    const { clock, ring, ask, statuses } = setUp();
    expect(await statuses(ask('ns/o1', 'present', 'a', 'b'))).toEqual(['waiting', 'waiting']);
    expect(await statuses(ask('ns/o2', 'present', 'c'))).toEqual(['done']);
    await clock.advance(5_000);
    expect(await statuses(ask('ns/o3', 'present', 'd'))).toEqual(['waiting']);
    expect([...ring.at(name)].sort()).toEqual(['', 'c']);
    await statuses(ask('ns/o2', 'absent', 'c'));
    expect(await statuses(ask('ns/o3', 'present', 'd'))).toEqual(['done']);
  });

  test('values of two orders that go out together have no order: neither is followed', async () => {
    const { clock, ring, ask, statuses } = setUp();
    await clock.advance(5_000);
    // Leaves the first row the newer one, so that the second value gets it, which is what a tie takes.
    await statuses(ask('ns/o0', 'present', 'x'));
    await statuses(ask('ns/o0', 'absent', 'x'));
    await clock.advance(5_000);
    const both = [statuses(ask('ns/o1', 'present', 'a')), statuses(ask('ns/o2', 'present', 'b'))];
    expect(await Promise.all(both)).toEqual([['done'], ['done']]);
    await statuses(ask('ns/o1', 'absent', 'a'));
    await clock.advance(5_000);
    expect(await statuses(ask('ns/o3', 'present', 'c'))).toEqual(['waiting']);
    expect(ring.at(name)).toEqual(['b', 'a']);
  });

  test('tells who has the places', async () => {
    const { clock, ask } = setUp();
    await clock.advance(5_000);
    await clock.until(ask('ns/o1', 'present', 'a', 'b'));
    const [outcome] = await clock.until(ask('ns/o2', 'present', 'c'));
    expect(outcome).toEqual({
      status: 'waiting',
      reason: 'ring "ring": the 2 places at 6f1c.auth.example.net are in use; waiting until order ns/o1 is done',
    });
  });

  test('three values of one order at one name can never be', async () => {
    const { clock, ring, ask } = setUp();
    const outcomes = await clock.until(ask('ns/o1', 'present', 'a', 'b', 'c'));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['failed', 'failed', 'failed']);
    expect(outcomes[0]).toMatchObject({ error: { kind: 'invalid' } });
    expect(ring.writes).toBe(0);
  });
});

const action = fc.record({
  owner: fc.constantFrom(0, 1, 2, 3),
  delayMs: fc.constantFrom(0, 30, 150, 400, 999, 1_000, 2_500),
  values: fc.constantFrom(1, 2),
});

test('a value that was reported as written stays until its owner lets go, through lost answers and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 1, maxLength: 14 }),
      fc.array(fc.constantFrom('answered', 'answered', 'lost-answer', 'lost-request'), { maxLength: 10 }),
      fc.infiniteStream(fc.boolean()),
      fc.constantFrom(1, 2),
      fc.option(fc.nat({ max: 40 }), { nil: Number.POSITIVE_INFINITY }),
      fc.nat({ max: 999 }),
      async (actions, fates, coin, maxChanges, dieAt, startMs) => {
        const clock = new FakeClock(1_000_000_000_000 + startMs);
        const ledger = new MemoryLedger();
        const ring = new FakeRing(clock, () => coin.next().value, maxChanges);
        ring.fates.push(...(fates as typeof ring.fates));
        let doomed = new DoomedProcess(ledger, clock, dieAt);
        let writer = open(doomed, clock);
        const reported = new Set<string>();
        const holding = new Map<number, string[]>();
        let serial = 0;

        const look = () => {
          for (const value of reported) expect([value, ring.at(name).includes(value)]).toEqual([value, true]);
        };
        for (const { owner, delayMs, values } of actions) {
          for (let past = 0; past < delayMs; past += 50) {
            await clock.advance(Math.min(50, delayMs - past));
            look();
          }
          if (doomed.dead) {
            // Another process takes over, a moment later, with the same ledger.
            await clock.advance(300);
            doomed = new DoomedProcess(ledger, clock, Number.POSITIVE_INFINITY);
            writer = open(doomed, clock);
          }
          const mine = holding.get(owner);
          const state = mine === undefined || mine.some((value) => !reported.has(value)) ? 'present' : 'absent';
          const wanted = mine ?? Array.from({ length: values }, () => `v${serial++}`);
          holding.set(owner, wanted);
          if (state === 'absent') {
            for (const value of wanted) reported.delete(value);
            holding.delete(owner);
          }
          const records = wanted.map((value) => ({ name, value }));
          const signal = new AbortController().signal;
          const provider = doomed.bind(ring.bind());
          void writer.write({ owner: `ns/o${owner}`, provider, zone, state, records, signal }).then((outcomes) => {
            if (holding.get(owner) !== wanted) return;
            for (const [at, outcome] of outcomes.entries()) if (outcome.status === 'done') reported.add(wanted[at]!);
          });
        }
        for (let i = 0; i < 40; i++) {
          await clock.advance(100);
          look();
        }
      },
    ),
    { numRuns: 200, seed: 20260103 },
  );
});

function open(ledger: Ledger, clock: FakeClock) {
  return createRecordWriter({ ledger, clock, timers: clock, random: (length) => new Uint8Array(length).fill(99) });
}
