/** Milliseconds before try number `tries` (1, 2, ...): doubling from `firstMs` to `maxMs`, up to a fifth of it random. */
export function backoffMs(tries: number, firstMs: number, maxMs: number, random: number): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
  return Math.round(full * (0.8 + 0.2 * random));
}

/**
 * Milliseconds before a Certificate whose Order failed for the `count`-th time begins another: 1, 10 and 100 minutes,
 * then a day, as Let's Encrypt advises (Integration Guide, "Retrying Failures"), up to a fifth of it random.
 */
export function nextIssuanceMs(count: number, random: number): number {
  const minutes = [1, 10, 100, 1_440][Math.min(count, 4) - 1] as number;
  return Math.round(minutes * 60_000 * (1 + 0.2 * random));
}
