import type { HttpAnswer } from '../egress/index.ts';

type Headers = HttpAnswer['headers'];

/** The value of a header, the first of several; `name` in lower case. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** How far `now` is ahead of the server's clock, by the header Date (RFC 9110 6.6.1); negative when it is behind. */
export function clockOffsetMs(headers: Headers, now: number): number | undefined {
  const theirs = Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(theirs) ? undefined : now - theirs;
}

/** `7 min ahead of`, `20 s behind`: completes "the clock of this machine is ... Akamai's". */
export function describeOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const amount = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${amount} ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
}
