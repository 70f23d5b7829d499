import { type CallContext, ProviderError, SecretValue } from '@zoneproof/core';
import { type Credentials, createAccessTokens } from './access-tokens.ts';

function setUp() {
  const state = { now: 1_000_000, id: 'first', exchanges: 0 };
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  const credentials = (): Credentials => ({
    id: state.id,
    exchange: (call) => {
      const value = new SecretValue(Buffer.from(`token ${++state.exchanges} of ${state.id}`));
      return new Promise((resolve, reject) => {
        waiting.push({ resolve: () => resolve({ value, lifetimeMs: 3_600_000 }), reject });
        call.signal.addEventListener('abort', () =>
          reject(new ProviderError({ kind: 'aborted', message: 'stopped', sent: false })),
        );
      });
    },
  });
  const tokens = createAccessTokens(
    'clouddns "t"',
    () => state.now,
    async () => credentials(),
  );
  const call = (signal = new AbortController().signal): CallContext => ({
    signal,
    deadlineAt: 0,
    permit: () => Promise.resolve(),
  });
  /** Waits until so many exchanges are under way. */
  const underWay = async (count: number) => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const get = async () => {
    const { token, isFresh } = await tokens.get(call());
    return [token.value.text(), isFresh];
  };
  const getNow = async () => {
    const got = get();
    await underWay(waiting.length + 1);
    waiting.at(-1)?.resolve();
    return got;
  };
  return { state, tokens, call, waiting, underWay, get, getNow };
}

test('callers at the same time share one exchange, later ones its token', async () => {
  const { state, waiting, underWay, get } = setUp();
  const all = [get(), get(), get()];
  await underWay(1);
  waiting[0]?.resolve();
  expect(await Promise.all(all)).toEqual(Array.from({ length: 3 }, () => ['token 1 of first', true]));
  expect(await get()).toEqual(['token 1 of first', false]);
  expect(state.exchanges).toBe(1);
});

test('a token is used until a minute before it expires', async () => {
  const { state, get, getNow } = setUp();
  await getNow();
  state.now += 3_600_000 - 60_001;
  expect(await get()).toEqual(['token 1 of first', false]);
  state.now += 1;
  expect(await getNow()).toEqual(['token 2 of first', true]);
});

test('other credentials and a refusal end it at once', async () => {
  const { state, tokens, call, getNow } = setUp();
  await getNow();
  state.id = 'second';
  expect(await getNow()).toEqual(['token 2 of second', true]);
  tokens.drop((await tokens.get(call())).token);
  expect(await getNow()).toEqual(['token 3 of second', true]);
});

test('when the caller that fetches it stops, the next one fetches it', async () => {
  const { tokens, call, waiting, underWay, get } = setUp();
  const stop = new AbortController();
  const first = tokens.get(call(stop.signal));
  await underWay(1);
  const second = get();
  stop.abort();
  await expect(first).rejects.toMatchObject({ kind: 'aborted' });
  await underWay(2);
  waiting[1]?.resolve();
  expect(await second).toEqual(['token 2 of first', true]);
});

test('who only waits stops at once, and the others go on', async () => {
  const { tokens, call, waiting, underWay, get } = setUp();
  const first = get();
  await underWay(1);
  const stop = new AbortController();
  const second = tokens.get(call(stop.signal));
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await expect(second).rejects.toMatchObject({ kind: 'aborted' });
  waiting[0]?.resolve();
  expect(await first).toEqual(['token 1 of first', true]);
});

test('a refused exchange meets all who wait, and the next caller tries again', async () => {
  const { waiting, underWay, get, getNow } = setUp();
  const both = [get(), get()];
  await underWay(1);
  waiting[0]?.reject(new ProviderError({ kind: 'auth', message: 'no', sent: false }));
  const ends = await Promise.allSettled(both);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await getNow()).toEqual(['token 2 of first', true]);
});
