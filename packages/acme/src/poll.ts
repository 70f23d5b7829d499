const firstMs = 100;
const longestMs = 15_000;

/**
 * When to read an authorization or order again that the CA still works on (RFC 8555 7.5.1): doubling from 0.1 s to
 * 15 s, but at the server's Retry-After where it sent one.
 * @param o.polls reads made so far, from 0
 * @param o.expires of the authorization or order; undefined is returned when it would be over by then
 * @returns epoch milliseconds
 */
export function nextPollAt(o: {
  readonly now: number;
  readonly polls: number;
  readonly retryAfterMs?: number;
  readonly expires?: number;
}): number | undefined {
  const waitMs = o.retryAfterMs ?? Math.min(firstMs * 2 ** Math.min(o.polls, 20), longestMs);
  const at = o.now + Math.max(waitMs, firstMs);
  return o.expires !== undefined && at >= o.expires ? undefined : at;
}
