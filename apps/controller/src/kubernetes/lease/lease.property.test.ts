import { FakeClock } from '@zoneproof/core/testing';
import fc from 'fast-check';
import { candidate } from './testing/candidate.ts';
import { LeaseServer } from './testing/lease-server.ts';
import { StoppableTime } from './testing/stoppable-time.ts';

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
          const made = candidate(gated, `p${count++}`, time.time);
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
