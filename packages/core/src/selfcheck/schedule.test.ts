import { nextLookAt } from './schedule.ts';

const presentedAt = 1_000_000;

test.each([
  ['the first look is at once', 0, 0, 0],
  ['the second follows soon', 1, 0, 100],
  ['the third a little later', 2, 100, 250],
  ['the fourth after half a second', 3, 350, 500],
  ['then every second', 4, 850, 1000],
  ['for the first 90 s', 90, 90_000, 1000],
  ['growing evenly from then on', 110, 135_000, 5500],
  ['to 10 s', 150, 180_000, 10_000],
  ['and no further', 999, 86_400_000, 10_000],
  ['a clock that went back makes no longer wait', 50, -5000, 1000],
])('%s', (_title, looks, sincePresentedMs, waitMs) => {
  const now = presentedAt + sincePresentedMs;
  expect(nextLookAt(looks, presentedAt, now)).toBe(now + waitMs);
});
