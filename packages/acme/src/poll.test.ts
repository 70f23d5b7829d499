import { expect, test } from '@jest/globals';
import { nextPollAt } from './poll.ts';

const now = 1_000_000;
const waits = (polls: number[]) => polls.map((count) => nextPollAt({ now, polls: count })! - now);

test('RFC 8555 7.5.1: polls start quickly and grow to 15 s', () => {
  expect(waits([0, 1, 2, 3, 7, 8, 1e9])).toEqual([100, 200, 400, 800, 12_800, 15_000, 15_000]);
});

test('RFC 8555 7.5.1: the server decides where it sends Retry-After', () => {
  expect(nextPollAt({ now, polls: 0, retryAfterMs: 5000 })).toBe(now + 5000);
  expect(nextPollAt({ now, polls: 9, retryAfterMs: 2000 })).toBe(now + 2000);
});

test('a Retry-After of 0 does not make a busy loop', () => {
  expect(nextPollAt({ now, polls: 9, retryAfterMs: 0 })).toBe(now + 100);
});

test('RFC 8555 7.1.6: nobody polls what has expired by then', () => {
  expect(nextPollAt({ now, polls: 0, expires: now + 100 })).toBeUndefined();
  expect(nextPollAt({ now, polls: 0, expires: now + 101 })).toBe(now + 100);
});
