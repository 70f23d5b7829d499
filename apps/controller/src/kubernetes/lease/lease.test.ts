import type { Clock, Timers } from '@zoneproof/core';
import { FakeClock } from '@zoneproof/core/testing';
import fc from 'fast-check';
import { createLeadership, type Leadership, LeaseLost } from './lease.ts';
import { LeaseServer } from './testing/lease-server.ts';

const durationMs = 15_000;
const random = (length: number) => Buffer.alloc(length);

interface Candidate {
  readonly leadership: Leadership;
  readonly news: string[];
}

function candidate(
  server: LeaseServer,
  identity: string,
  time: { readonly clock: Clock; readonly monotonic: Clock; readonly timers: Timers },
): Candidate {
  const news: string[] = [];
  const leadership = createLeadership({
    api: server.api,
    namespace: 'zoneproof',
    name: 'zoneproof',
    identity,
    durationMs,
    random,
    ...time,
    report: (told) => news.push('holder' in told ? `holder ${told.holder}` : told.problem),
  });
  return { leadership, news };
}

function world(): {
  clock: FakeClock;
  server: LeaseServer;
  start(identity: string): Candidate & { acquired: Promise<void> };
} {
  const clock = new FakeClock();
  const server = new LeaseServer(clock);
  return {
    clock,
    server,
    start: (identity) => {
      const started = candidate(server, identity, { clock, monotonic: clock, timers: clock });
      return { ...started, acquired: started.leadership.acquired(new AbortController().signal) };
    },
  };
}

test('the first candidate creates the Lease, renews it every third, and writes what kubectl shows', async () => {
  const { clock, server, start } = world();
  const { acquired, leadership } = start('a');
  await acquired;
  expect(server.lease?.spec).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2001-09-09T01:46:40.000000Z',
    renewTime: '2001-09-09T01:46:40.000000Z',
    leaseTransitions: 0,
  });
  await clock.advance(60_000);
  expect(server.log).toEqual(['GET', 'POST a', ...Array(12).fill('PUT a')]);
  expect(server.lease?.spec).toMatchObject({
    acquireTime: '2001-09-09T01:46:40.000000Z',
    renewTime: '2001-09-09T01:47:40.000000Z',
  });
  leadership.assertLeading();
});

test('when the Lease is given back, the other leads within a second', async () => {
  const { clock, server, start } = world();
  const [a, b] = [start('a'), start('b')];
  await a.acquired;
  await clock.advance(7_777);
  expect(b.leadership.leading).toBe(false);
  expect(() => b.leadership.assertLeading()).toThrow('Lease zoneproof/zoneproof is not held by this process');
  await a.leadership.release();
  expect(a.leadership.signal.reason).toEqual(new LeaseLost('Lease zoneproof/zoneproof is given back'));
  expect(() => a.leadership.assertLeading()).toThrow(LeaseLost);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await clock.advance(1_000);
  expect(b.leadership.leading).toBe(true);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  expect(b.news).toEqual(['holder a']);
  await b.leadership.release();
  expect(clock.pending).toBe(0);
});

test('an API server that is away is told once, and the Lease is lost before another may take it', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push(...Array<'fail'>(100).fill('fail'));
  await clock.advance(11_900);
  a.leadership.assertLeading();
  await clock.advance(200);
  expect(a.news).toEqual(['the API server is overloaded']);
  expect(a.leadership.signal.reason.message).toBe(
    'Lease zoneproof/zoneproof is lost: it was last renewed 12.0 s ago by the monotonic clock',
  );
  const before = server.log.length;
  await clock.advance(60_000);
  await a.leadership.release();
  expect(server.log.slice(before)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a renewal whose answer was lost is no loss', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push('lose');
  await clock.advance(20_000);
  a.leadership.assertLeading();
  expect(server.log.slice(2)).toEqual(
    ['PUT a', 'PUT a', 'GET', 'PUT a', 'PUT a', 'PUT a'].slice(0, server.log.length - 2),
  );
});

test('giving back waits for a renewal under way, so that it is not undone', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.latencyMs = 100;
  await clock.advance(5_050);
  await clock.until(a.leadership.release());
  expect(server.holder).toBe('');
});

test('giving back after a lost answer', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.faults.push('lose');
  await clock.advance(5_001);
  await a.leadership.release();
  expect(server.holder).toBe('');
});

test('a holder that somebody else put in is respected at the next renewal', async () => {
  const { clock, server, start } = world();
  const a = start('a');
  await a.acquired;
  server.write({ holderIdentity: 'operator', leaseDurationSeconds: 15 });
  await clock.advance(5_000);
  expect(() => a.leadership.assertLeading()).toThrow('operator is its holder now');
  expect(server.holder).toBe('operator');
});

test('a stopped candidate gives up', async () => {
  const { clock, server, start } = world();
  await start('a').acquired;
  const stop = new AbortController();
  const b = candidate(server, 'b', { clock, monotonic: clock, timers: clock });
  const waiting = b.leadership.acquired(stop.signal);
  await clock.advance(3_000);
  stop.abort(new Error('SIGTERM'));
  await expect(waiting).rejects.toThrow('SIGTERM');
  await b.leadership.release();
  expect(server.holder).toBe('a');
});

test('what a process does that was stopped for longer than it may lead, is refused before any timer of it ran', async () => {
  const { server, clock } = world();
  const stopped = new StoppableTime(clock, 1, 0, 0);
  const a = candidate(server, 'a', stopped.time);
  await a.leadership.acquired(new AbortController().signal);
  stopped.stop();
  await clock.advance(12_000);
  expect(() => a.leadership.assertLeading()).toThrow(LeaseLost);
  stopped.continue();
  await clock.advance(60_000);
  expect(server.log).toEqual(['GET', 'POST a']);
});

/** The clocks and timers of a process that may be stopped, runs at its own speed and has a wall clock of its own. */
class StoppableTime {
  readonly time: { readonly clock: Clock; readonly monotonic: Clock; readonly timers: Timers };
  readonly #held: (() => void)[] = [];
  #stopped = false;
  #wallMs: number;

  constructor(base: FakeClock, speed: number, offsetMs: number, wallMs: number) {
    this.#wallMs = wallMs;
    const monotonic = { now: () => (base.now() - 1e12) * speed + offsetMs };
    const gated = (run: () => void) => () => {
      if (this.#stopped) this.#held.push(run);
      else run();
    };
    this.time = {
      monotonic,
      clock: { now: () => monotonic.now() + this.#wallMs },
      timers: {
        setTimeout: (run, ms) => base.setTimeout(gated(run), ms / speed),
        clearTimeout: (handle) => base.clearTimeout(handle),
      },
    };
  }

  /** An answer that came while the process was stopped reaches it afterwards. */
  gate<T>(promise: Promise<T>): Promise<T> {
    const arrive = () =>
      new Promise<void>((resolve) => {
        if (this.#stopped) this.#held.push(resolve);
        else resolve();
      });
    return promise.finally(arrive);
  }

  stop(): void {
    this.#stopped = true;
  }

  continue(): void {
    this.#stopped = false;
    for (const run of this.#held.splice(0)) run();
  }

  stepWallClock(ms: number): void {
    this.#wallMs += ms;
  }
}

const who = fc.nat({ max: 1 });
const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 9_000 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('stop' as const), who }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('continue' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('latency' as const), ms: fc.constantFrom(0, 5, 900, 4_000) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fault' as const), fault: fc.constantFrom('fail', 'lose') }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('set-clock' as const), who, ms: fc.integer({ min: -1e9, max: 1e9 }) }),
    },
  ),
  { minLength: 10, maxLength: 60 },
);

test('however two processes are stopped, delayed, killed and cut off, at no instant both may act; then one leads', async () => {
  let led = 0;
  await fc.assert(
    fc.asyncProperty(
      commands,
      fc.tuple(fc.double({ min: 0.95, max: 1.05, noNaN: true }), fc.double({ min: 0.95, max: 1.05, noNaN: true })),
      async (steps, speeds) => {
        const clock = new FakeClock();
        const server = new LeaseServer(clock);
        let count = 0;
        const start = (speed: number) => {
          const time = new StoppableTime(clock, speed, count * 1e6, count * -1e8);
          const gated = {
            api: { request: (r: Parameters<typeof server.api.request>[0]) => time.gate(server.api.request(r)) },
          };
          const made = candidate(gated as LeaseServer, `p${count++}`, time.time);
          const stop = new AbortController();
          made.leadership.acquired(stop.signal).catch(() => undefined);
          return { ...made, time, stop };
        };
        const replicas = speeds.map(start);
        const look = () => {
          const acting = replicas.filter(({ leadership }) => leadership.leading).length;
          if (acting > 1) throw new Error('both may act');
          led += acting;
        };
        const restart = (at: number) => {
          replicas[at]!.stop.abort(new Error('ended'));
          replicas[at] = start(speeds[at]!);
        };
        for (const step of steps) {
          look();
          if (step.do === 'pass') {
            for (let left = step.ms; left > 0; left -= 250) {
              await clock.advance(Math.min(250, left));
              look();
            }
          } else if (step.do === 'latency') server.latencyMs = step.ms;
          else if (step.do === 'fault') server.faults.push(step.fault as 'fail' | 'lose');
          else if (step.do === 'set-clock') replicas[step.who]!.time.stepWallClock(step.ms);
          else if (step.do === 'stop') replicas[step.who]!.time.stop();
          else if (step.do === 'continue') replicas[step.who]!.time.continue();
          else if (step.do === 'release') {
            const { leadership } = replicas[step.who]!;
            void leadership.release();
            await clock.advance(0);
            restart(step.who);
          } else {
            // Killed: nothing of it runs any more.
            replicas[step.who]!.time.stop();
            restart(step.who);
          }
          // A process that has lost the Lease ends and is started again.
          for (const at of [0, 1]) if (replicas[at]!.leadership.signal.aborted) restart(at);
        }
        server.latencyMs = 0;
        server.faults.length = 0;
        for (const { time } of replicas) time.continue();
        for (let ms = 0; ms < 60_000; ms += 1_000) {
          await clock.advance(1_000);
          look();
          for (const at of [0, 1]) if (replicas[at]!.leadership.signal.aborted) restart(at);
        }
        expect(replicas.filter(({ leadership }) => leadership.leading)).toHaveLength(1);
      },
    ),
    { numRuns: 60 },
  );
  expect(led).toBeGreaterThan(1_000);
}, 60_000);
