import { ProviderError } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { createProviderCalls, type EndedCall } from './provider-calls.ts';
import { FakeService } from './testing/fake-service.ts';

function setUp() {
  const clock = new FakeClock();
  const calls = createProviderCalls(clock, clock);
  const bound = new FakeService({ clock, ledger: new MemoryLedger() }).bind();
  return { clock, calls, bound };
}

const signal = new AbortController().signal;

test('hands on what the provider returns, and frees its timers', async () => {
  const { clock, calls, bound } = setUp();
  const result = await calls.run(
    bound,
    'listing zones',
    { operation: 'listZones', signal, timeoutMs: 500 },
    async (call) => {
      expect(call.deadlineAt).toBe(clock.now() + 500);
      await call.permit();
      return 7;
    },
  );
  expect(result).toBe(7);
  expect(clock.pending).toBe(0);
});

test('a foreign error is a fault of the package; what it says is not shown', async () => {
  const { calls, bound } = setUp();
  const work = () => Promise.reject(new TypeError('bad key hunter2'));
  const error = await calls
    .run(bound, 'listing zones', { operation: 'listZones', signal }, work)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    kind: 'unavailable',
    message: 'fake "lab": listing zones broke inside the provider package (TypeError). Report this to its maintainer.',
  });
});

test('a refusal for the rate pauses the account, also for its other blocks', async () => {
  const { clock, calls, bound } = setUp();
  const limited = new ProviderError({ kind: 'rate-limited', message: 'slow down', retryAfterMs: 4_000 });
  await expect(calls.run(bound, 'x', { operation: 'listZones', signal }, () => Promise.reject(limited))).rejects.toBe(
    limited,
  );
  const other = { ...bound, displayName: 'fake "other"' };
  const before = clock.now();
  await clock.until(calls.run(other, 'x', { operation: 'listZones', signal }, (call) => call.permit()));
  expect(clock.now() - before).toBe(4_000);
});

test.each([
  ['notices its signal', true],
  ['ignores its signal', false],
])('a provider that %s: the deadline holds', async (_title, notices) => {
  const { clock, calls, bound } = setUp();
  const call = calls.run(
    bound,
    'listing zones',
    { operation: 'listZones', signal, timeoutMs: 5_000 },
    ({ signal: stop }) => {
      return new Promise((_resolve, reject) => {
        if (notices)
          stop.addEventListener('abort', () => reject(new ProviderError({ kind: 'aborted', message: 'stopped' })));
      });
    },
  );
  const before = clock.now();
  await expect(clock.until(call)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'fake "lab": listing zones took longer than 5 s',
  });
  expect(clock.now() - before).toBe(notices ? 5_000 : 7_000);
  expect(clock.pending).toBe(0);
});

test('the caller’s signal reaches the provider', async () => {
  const { clock, calls, bound } = setUp();
  const stop = new AbortController();
  const call = calls.run(
    bound,
    'listing zones',
    { operation: 'listZones', signal: stop.signal },
    ({ signal: inner }) => {
      return new Promise((_resolve, reject) => inner.addEventListener('abort', () => reject(inner.reason)));
    },
  );
  stop.abort();
  await expect(call).rejects.toMatchObject({ kind: 'aborted', message: 'fake "lab": listing zones was stopped' });
  expect(clock.pending).toBe(0);
  await expect(
    calls.run(bound, 'x', { operation: 'listZones', signal: stop.signal }, async () => 1),
  ).rejects.toMatchObject({
    kind: 'aborted',
  });
});

test('tells of each call that ended, how long it took and by what kind of error; of accounts how their limits stand', async () => {
  const clock = new FakeClock();
  const ended: EndedCall[] = [];
  const calls = createProviderCalls(clock, clock, (call) => ended.push(call));
  const bound = new FakeService({ clock, ledger: new MemoryLedger() }).bind();
  const late = calls.run(bound, 'x', { operation: 'findZone', signal, timeoutMs: 3_000 }, () => new Promise(() => {}));
  await expect(clock.until(late)).rejects.toMatchObject({ kind: 'unavailable' });
  await calls.run(bound, 'x', { operation: 'syncState', signal }, async () => 1);
  const limited = new ProviderError({ kind: 'rate-limited', message: 'slow down', retryAfterMs: 4_000 });
  const failed = { operation: 'apply', signal, errorIn: () => limited } as const;
  await calls.run(bound, 'x', failed, async () => 1);
  const about = { provider: 'fake', durationMs: 0 };
  expect(ended).toEqual([
    { ...about, operation: 'findZone', outcome: 'unavailable', durationMs: 5_000 },
    { ...about, operation: 'syncState', outcome: 'ok' },
    { ...about, operation: 'apply', outcome: 'rate-limited' },
  ]);
  expect(calls.accounts()).toEqual([{ provider: 'fake', rate: 1, pausedUntil: 0, waiting: 0 }]);
  calls.noteError(bound, limited);
  const waiting = calls.run(bound, 'x', { operation: 'listZones', signal }, (call) => call.permit());
  const pausedUntil = clock.now() + 4_000;
  expect(calls.accounts()).toEqual([{ provider: 'fake', rate: 0.5, pausedUntil, waiting: 1 }]);
  await clock.until(waiting);
});
