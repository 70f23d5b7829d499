/** No wait is taken to be longer than this: the longest window of a published CA limit is 7 days. */
export const maxRetryAfterMs = 30 * 24 * 3600_000;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const imfFixdate = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const rfc850 = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const asctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/**
 * Retry-After as milliseconds from `now`, whether it is delta-seconds or an HTTP-date (RFC 9110 10.2.3, 5.6.7).
 * A date in the past is 0; more than 30 days is 30 days; anything else is undefined.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxRetryAfterMs);
  const at = parseHttpDate(text, now);
  return at === undefined ? undefined : Math.min(Math.max(at - now, 0), maxRetryAfterMs);
}

function parseHttpDate(text: string, now: number): number | undefined {
  let m = imfFixdate.exec(text);
  if (m) return utc(m[3]!, m[2]!, m[1]!, m[4]!, m[5]!, m[6]!);
  m = asctime.exec(text);
  if (m) return utc(m[6]!, m[1]!, m[2]!, m[3]!, m[4]!, m[5]!);
  m = rfc850.exec(text);
  if (m) return utc(fourDigitYear(Number(m[3]), now), m[2]!, m[1]!, m[4]!, m[5]!, m[6]!);
  return undefined;
}

/** RFC 9110 5.6.7: a two-digit year more than 50 years ahead is the last one in the past with the same digits. */
function fourDigitYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

function utc(year: string | number, month: string, day: string, hour: string, minute: string, second: string) {
  const at = Date.UTC(
    Number(year),
    months.indexOf(month),
    Number(day),
    Number(hour),
    Number(minute),
    Math.min(Number(second), 59), // 60 is a leap second
  );
  return months.includes(month) && Number(hour) < 24 && Number(minute) < 60 ? at : undefined;
}
