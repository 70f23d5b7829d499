import { createSharedCache } from './shared-cache.ts';

const signal = new AbortController().signal;

function cacheAt(start: number, max = 10) {
  const time = { now: start };
  return { time, cache: createSharedCache<number>({ now: () => time.now }, max) };
}

test('many who ask at once share one piece of work, and later ones its result until it is old', async () => {
  const { time, cache } = cacheAt(0);
  let runs = 0;
  const work = async () => ({ value: ++runs, ttlMs: 100 });
  await expect(Promise.all([1, 2, 3].map(() => cache.load('a', signal, work)))).resolves.toEqual([1, 1, 1]);
  time.now = 99;
  await expect(cache.load('a', signal, work)).resolves.toBe(1);
  time.now = 100;
  await expect(cache.load('a', signal, work)).resolves.toBe(2);
});

test('a failure is not remembered', async () => {
  const { cache } = cacheAt(0);
  await expect(cache.load('a', signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.load('a', signal, async () => ({ value: 1, ttlMs: 1 }))).resolves.toBe(1);
});

test('the oldest go first when it is full', () => {
  const { cache } = cacheAt(0, 2);
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index, 1000);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 1, 2]);
});

test('the work is aborted when the last who waits has given up, not before', async () => {
  const { cache } = cacheAt(0);
  const [one, two] = [new AbortController(), new AbortController()];
  let inner: AbortSignal | undefined;
  const work = (shared: AbortSignal) => {
    inner = shared;
    return new Promise<never>((_resolve, reject) => shared.addEventListener('abort', () => reject(shared.reason)));
  };
  const waits = [cache.load('a', one.signal, work), cache.load('a', two.signal, work)];
  one.abort(new Error('one'));
  await expect(waits[0]).rejects.toThrow('one');
  expect(inner?.aborted).toBe(false);
  two.abort(new Error('two'));
  await expect(waits[1]).rejects.toThrow('two');
  expect(inner?.aborted).toBe(true);
});

test('what is deleted while it is being found is not remembered', async () => {
  const { cache } = cacheAt(0);
  const wait = cache.load('a', signal, async () => ({ value: 1, ttlMs: 1000 }));
  cache.delete('a');
  await expect(wait).resolves.toBe(1);
  expect(cache.get('a')).toBeUndefined();
});
