import { strict as assert } from 'node:assert';
import { ProviderError } from '@zoneproof/core';
import { failureOf, placeOf } from './failure.ts';

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
const failureText = (work: () => unknown): string | undefined => (failureOf(thrownBy(work)) as Error).stack;

test('a finding is shown without the trace of the kit, and without a comparison in long', () => {
  expect(failureText(() => assert.ok(false, 'no zone for a.test'))).toBe('no zone for a.test');
  expect(failureText(() => assert.deepEqual(['a'], ['a', 'b'], 'values at a.test'))).toBe(
    "values at a.test\n\n  expected  [ 'a', 'b' ]\n  received  [ 'a' ]",
  );
  expect(failureText(() => assert.equal(3, 2, 'writes'))).toBe('writes\n\n  expected  2\n  received  3');
});

test('of an error of the provider the frames of the provider are left', () => {
  const error = new TypeError('x is not a function');
  const [kitFrame] = (error.stack ?? '').split('\n').filter((line) => line.includes('failure.test'));
  const stack = `TypeError: x is not a function\n    at apply (/home/me/provider.js:12:3)\n${kitFrame}`;
  expect((failureOf(Object.assign(error, { stack })) as Error).stack).toBe(
    'TypeError: x is not a function\n    at apply (/home/me/provider.js:12:3)',
  );
  expect(placeOf(Object.assign(error, { stack }))).toBe('at apply (/home/me/provider.js:12:3)');
});

test('a ProviderError is shown with its kind and its place', () => {
  const error = new ProviderError({ kind: 'auth', message: 'memory "lab": no' });
  error.stack = 'ProviderError: no\n    at apply (/home/me/provider.js:12:3)';
  const { stack } = failureOf(error) as Error;
  expect(stack).toBe('memory "lab": no\n\n  a ProviderError of kind auth, at apply (/home/me/provider.js:12:3)');
});

test('an error of the kit itself keeps its trace', () => {
  expect(failureText(() => (undefined as unknown as string).length)).toMatch(/failure\.test/);
});
