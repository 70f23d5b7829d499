import type { Capabilities, Receipt, SyncState } from '../contract/index.ts';
import { ProviderError } from '../contract/index.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { createProviderCalls, MemoryLedger } from '../writer/index.ts';
import { FakeService } from '../writer/testing/fake-service.ts';
import { createSyncSignal, type SyncLook } from './index.ts';

const receipt = (token: string): Receipt => ({ kind: 'change', token });
const pending = { state: 'pending' } as const;
const synced = { state: 'synced' } as const;

function setUp(
  answer: (receipt: Receipt, look: number) => SyncState | ProviderError,
  given: Partial<Capabilities> = {},
) {
  const clock = new FakeClock();
  const start = clock.now();
  const calls = createProviderCalls(clock, clock);
  const stop = new AbortController();
  const warnings: string[] = [];
  const signal = createSyncSignal({
    clock,
    calls,
    signal: stop.signal,
    warn: (_bound, message) => warnings.push(message),
  });
  const service = new FakeService({ clock, ledger: new MemoryLedger(), capabilities: { sync: true, ...given } });
  const asked: { readonly token: string; readonly at: number }[] = [];
  const bind = (account = 'fake:a') => {
    const bound = service.bind(account);
    const syncState = async (one: Receipt, call: { permit(): Promise<void> }) => {
      await call.permit();
      asked.push({ token: one.token, at: clock.now() - start });
      const state = answer(one, asked.filter(({ token }) => token === one.token).length);
      if (state instanceof Error) throw state;
      return state;
    };
    return { ...bound, provider: { ...bound.provider, syncState } };
  };
  /** As an Order does: looks, and looks again at the time that it is given. */
  const follow = async (one: Receipt, bound = bind(), untilMs = 600_000): Promise<SyncLook> => {
    for (;;) {
      const look = await signal.look(bound, one);
      if (look.state !== 'pending' || clock.now() - start > untilMs) return look;
      const { nextLookAt } = look;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, nextLookAt - clock.now()));
    }
  };
  return { clock, start, calls, stop, warnings, signal, asked, bind, follow, service };
}

test('one request serves all values of a batch, at growing pauses, and the end is remembered', async () => {
  const { clock, asked, follow } = setUp((_receipt, look) => (look < 8 ? pending : synced));
  const waiters = Array.from({ length: 1_000 }, () => follow(receipt('C1')));
  expect(new Set(await clock.until(Promise.all(waiters)))).toEqual(new Set([synced]));
  expect(asked.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 25_000, 35_000, 45_000]);
  expect(await follow(receipt('C1'))).toEqual(synced);
  expect(asked).toHaveLength(8);
  expect(clock.pending).toBe(0);
});

test('before its time a look asks nobody', async () => {
  const { clock, start, signal, asked, bind } = setUp(() => pending);
  const bound = bind();
  expect(await signal.look(bound, receipt('C1'))).toEqual({ state: 'pending', nextLookAt: start + 1_000 });
  await clock.advance(999);
  expect(await signal.look(bound, receipt('C1'))).toEqual({ state: 'pending', nextLookAt: start + 1_000 });
  expect(asked).toHaveLength(1);
});

test('the same token of another account is another change', async () => {
  const { signal, asked, bind } = setUp(() => synced);
  await signal.look(bind('fake:a'), receipt('C1'));
  await signal.look(bind('fake:b'), receipt('C1'));
  expect(asked).toHaveLength(2);
});

test('the receipts of fifty zones leave half of the account’s rate to writes', async () => {
  const buckets = [{ name: 'requests', burst: 5, perSecond: 5, source: 'test' }];
  const { clock, asked, follow } = setUp((_receipt, look) => (look < 3 ? pending : synced), { buckets });
  const waiters = Array.from({ length: 50 }, (_, i) => follow(receipt(`C${i}`)));
  await clock.until(Promise.all(waiters));
  expect(asked).toHaveLength(150);
  const gaps = asked.slice(1).map(({ at }, i) => at - asked[i]!.at);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(399);
  expect(asked.at(-1)!.at).toBeLessThan(65_000);
});

test.each<[string, ProviderError | SyncState, string]>([
  ['says so', { state: 'unknown', reason: 'GetChange is forbidden' }, 'GetChange is forbidden'],
  ['is refused', new ProviderError({ kind: 'permission', message: 'may not GetChange' }), 'may not GetChange'],
  ['does not know the change', new ProviderError({ kind: 'invalid', message: 'no such change' }), 'no such change'],
])('a provider that %s: the DNS alone is asked, and that is told once', async (_title, answer, reason) => {
  const { follow, asked, warnings } = setUp(() => answer);
  expect(await follow(receipt('C1'))).toEqual({ state: 'unknown', reason });
  expect(await follow(receipt('C1'))).toEqual({ state: 'unknown', reason });
  expect(await follow(receipt('C2'))).toEqual({ state: 'unknown', reason });
  expect(asked).toHaveLength(2);
  expect(warnings).toEqual([
    `fake "lab" does not tell when a change is published, so the DNS alone is asked: ${reason}`,
  ]);
});

test('a provider without the signal is not followed', async () => {
  const { signal, service } = setUp(() => synced);
  expect(await signal.look(service.bind(), receipt('C1'))).toMatchObject({ state: 'unknown' });
});

test('a service out of reach is asked again', async () => {
  const down = new ProviderError({ kind: 'unavailable', message: 'HTTP 503' });
  const { clock, follow, asked } = setUp((_receipt, look) => (look < 3 ? down : synced));
  expect(await clock.until(follow(receipt('C1')))).toEqual(synced);
  expect(asked.map(({ at }) => at)).toEqual([0, 1_000, 3_000]);
});

test('a throttled account is asked again after its pause, and nobody waits within a look', async () => {
  const limited = new ProviderError({ kind: 'rate-limited', message: 'HTTP 429', retryAfterMs: 60_000 });
  const { clock, start, signal, bind, follow, asked } = setUp((_receipt, look) => (look === 1 ? limited : synced));
  const bound = bind();
  expect(await signal.look(bound, receipt('C1'))).toEqual({ state: 'pending', nextLookAt: start + 60_000 });
  expect(await signal.look(bound, receipt('C2'))).toEqual({ state: 'pending', nextLookAt: start + 60_000 });
  expect(await signal.look(bind('fake:b'), receipt('C2'))).toMatchObject({ state: 'pending' });
  expect(asked.map(({ token }) => token)).toEqual(['C1', 'C2']);
  expect(await clock.until(follow(receipt('C1'), bound))).toEqual(synced);
  expect(asked.at(-1)?.at).toBe(60_000);
});

test('a look ends with the process', async () => {
  const { clock, stop, signal, bind } = setUp(() => synced);
  const bound = bind();
  const silent = { ...bound, provider: { ...bound.provider, syncState: () => new Promise<never>(() => undefined) } };
  const look = signal.look(silent, receipt('C1'));
  stop.abort();
  expect(await clock.until(look)).toMatchObject({ state: 'pending' });
  expect(clock.pending).toBe(0);
});
