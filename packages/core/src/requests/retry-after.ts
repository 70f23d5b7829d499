// RFC 9110 5.6.7: IMF-fixdate and the obsolete forms; asctime has no zone and means GMT. Date.parse alone takes "1.5" for
// a day in 2001.
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d(?: \d{4}| GMT)$/;

/**
 * The header Retry-After in milliseconds from now: seconds or a date (RFC 9110 10.2.3). Undefined when it is absent or
 * neither.
 */
export function retryAfterMs(header: string | readonly string[] | undefined, now: number): number | undefined {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  if (!httpDate.test(value)) return undefined;
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
