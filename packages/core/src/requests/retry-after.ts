/**
 * The header Retry-After in milliseconds from now: seconds or a date (RFC 9110 10.2.3). Undefined when it is absent or
 * neither.
 */
export function retryAfterMs(header: string | readonly string[] | undefined, now: number): number | undefined {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (value === undefined || value === '') return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
