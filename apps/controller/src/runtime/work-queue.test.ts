import { FakeClock } from '@zoneproof/core/testing';
import { WorkQueue } from './work-queue.ts';

const setup = (run: (key: string) => Promise<number | undefined>, concurrency = 10) => {
  const clock = new FakeClock(1_000);
  const queue = new WorkQueue({ clock, timers: clock, concurrency, run });
  return { clock, queue };
};

test('a key is worked on at the exact time it asked for', async () => {
  const times: number[] = [];
  const { clock, queue } = setup(async () => {
    times.push(clock.now());
    return times.length === 1 ? 4_217 : undefined;
  });
  queue.add('a');
  await clock.advance(10_000);
  expect(times).toEqual([1_000, 4_217]);
});

test('an event brings a waiting key forward, and its timer does not fire as well', async () => {
  const times: number[] = [];
  const { clock, queue } = setup(async () => {
    times.push(clock.now());
    return undefined;
  });
  queue.addAt('a', 5_000);
  await clock.advance(1_000);
  queue.add('a');
  await clock.advance(10_000);
  expect(times).toEqual([2_000]);
});

test('a key added while it is worked on is worked on once more, never twice at a time', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const { clock, queue } = setup(async () => {
    most = Math.max(most, ++running);
    runs++;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
    running--;
    return undefined;
  });
  queue.add('a');
  await clock.advance(50);
  queue.add('a');
  queue.add('a');
  await clock.advance(1_000);
  expect({ most, runs }).toEqual({ most: 1, runs: 2 });
});

test('no more keys than the concurrency are worked on together', async () => {
  let running = 0;
  let most = 0;
  const { clock, queue } = setup(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
    running--;
    return undefined;
  }, 3);
  for (let i = 0; i < 9; i++) queue.add(`key-${i}`);
  await clock.advance(1_000);
  expect(most).toBe(3);
  expect(queue.quiet).toBe(true);
});

test('a time beyond the range of setTimeout is kept', async () => {
  const times: number[] = [];
  const { clock, queue } = setup(async () => {
    times.push(clock.now());
    return undefined;
  });
  const inSixtyDays = 1_000 + 60 * 86_400_000;
  queue.addAt('a', inSixtyDays);
  await clock.advance(inSixtyDays);
  expect(times).toEqual([inSixtyDays]);
});

test('close waits for what is running and starts nothing more', async () => {
  let finish: () => void = () => {};
  let runs = 0;
  const { clock, queue } = setup(async () => {
    runs++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return 2_000;
  });
  queue.add('a');
  await clock.advance(1);
  const closed = queue.close();
  queue.add('b');
  finish();
  await closed;
  await clock.advance(10_000);
  expect({ runs, timers: clock.pending }).toEqual({ runs: 1, timers: 0 });
});

test('the state tells how much there is to do, and since when none of it ended', async () => {
  const ends = new Map<string, () => void>();
  const { clock, queue } = setup((key) => new Promise((resolve) => ends.set(key, () => resolve(undefined))), 2);
  expect(queue.state).toEqual({ ready: 0, running: 0 });
  await clock.advance(500);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await clock.advance(1_000);
  expect(queue.state).toEqual({ ready: 1, running: 2, longestSince: 1_500, noneEndedSince: 1_500 });
  ends.get('a')?.();
  await clock.advance(100);
  expect(queue.state).toEqual({ ready: 0, running: 2, longestSince: 1_500, noneEndedSince: 2_500 });
  ends.get('b')?.();
  ends.get('c')?.();
  await clock.advance(100);
  expect(queue.state).toEqual({ ready: 0, running: 0 });
});
