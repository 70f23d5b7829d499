import { jest } from '@jest/globals';
import { firstUsable } from './first-usable.ts';
import { createGate } from './gate.ts';

const signal = new AbortController().signal;

afterEach(() => {
  jest.useRealTimers();
});

test('the next is asked at once when one fails, and nobody after the first usable answer', async () => {
  const asked: string[] = [];
  const outcome = await firstUsable(['a', 'b', 'c'], 60_000, signal, async (candidate) => {
    asked.push(candidate);
    if (candidate === 'a') throw new Error('refused');
    return `from ${candidate}`;
  });
  expect(outcome).toMatchObject({ answer: 'from b', from: 'b', failures: [{ candidate: 'a' }] });
  expect(asked).toEqual(['a', 'b']);
});

test('the next is asked beside a silent one after the hedge, and the silent one is given up', async () => {
  jest.useFakeTimers();
  const given: string[] = [];
  const work = firstUsable(['slow', 'quick'], 400, signal, (candidate, attempt) => {
    if (candidate === 'quick') return Promise.resolve('here');
    return new Promise<string>((_resolve, reject) =>
      attempt.addEventListener('abort', () => {
        given.push(candidate);
        reject(new Error('given up'));
      }),
    );
  });
  await jest.advanceTimersByTimeAsync(399);
  expect(given).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  await expect(work).resolves.toMatchObject({ answer: 'here', failures: [] });
  expect(given).toEqual(['slow']);
  expect(jest.getTimerCount()).toBe(0);
});

test('when all fail, each failure is there', async () => {
  const outcome = await firstUsable(['a', 'b'], 60_000, signal, (candidate) => Promise.reject(new Error(candidate)));
  expect(outcome.answer).toBeUndefined();
  expect(outcome.failures.map(({ candidate }) => candidate)).toEqual(['a', 'b']);
});

test('an abort is passed on with its reason', async () => {
  const stop = new AbortController();
  const work = firstUsable(['a', 'b'], 60_000, stop.signal, (_candidate, attempt) => {
    return new Promise<never>((_resolve, reject) =>
      attempt.addEventListener('abort', () => reject(new Error('inner'))),
    );
  });
  stop.abort(new Error('outer'));
  await expect(work).rejects.toThrow('outer');
});

describe('a gate', () => {
  test('lets so many run at once, and the others in their order', async () => {
    const gate = createGate(2);
    const finish: (() => void)[] = [];
    const started: number[] = [];
    const work = [0, 1, 2, 3].map((index) =>
      gate.run(() => {
        started.push(index);
        return new Promise<void>((resolve) => finish.push(resolve));
      }, signal),
    );
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1]);
    finish[0]?.();
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1, 2]);
    for (const done of finish.slice(1)) done();
    await new Promise(setImmediate);
    finish[3]?.();
    await Promise.all(work);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  test('a place is given back by work that fails, and not taken by one who gave up waiting', async () => {
    const gate = createGate(1);
    const stop = new AbortController();
    let fail: ((error: Error) => void) | undefined;
    const first = gate.run(() => new Promise<void>((_resolve, reject) => (fail = reject)), signal);
    const second = gate.run(async () => 'second', stop.signal);
    const third = gate.run(async () => 'third', signal);
    stop.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    fail?.(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    await expect(third).resolves.toBe('third');
  });
});
