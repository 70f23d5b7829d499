/**
 * When to look again, as epoch milliseconds. A server that answers at once should not cost a second, and a secondary
 * that takes an hour should not be asked 3,600 times: at once, after 100, 250 and 500 ms, every second for the first
 * 90 s, then growing evenly to 10 s.
 *
 * @param looks how many looks there were since the value was written
 * @param presentedAt when the provider confirmed the write, epoch milliseconds
 */
export function nextLookAt(looks: number, presentedAt: number, now: number): number {
  const early = earlyMs[looks];
  if (early !== undefined) return now + early;
  const beyondMs = Math.max(0, now - presentedAt - everySecondMs);
  return now + Math.min(slowestMs, 1000 + Math.round(beyondMs / 10));
}

const earlyMs = [0, 100, 250, 500];
const everySecondMs = 90_000;
const slowestMs = 10_000;
