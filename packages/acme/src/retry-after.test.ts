import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxRetryAfterMs, parseRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const day = 24 * 3600_000;

describe('RFC 9110 10.2.3: Retry-After', () => {
  test.each([
    ['seconds', '120', 120_000],
    ['no wait', '0', 0],
    ['white space around', ' 5 ', 5000],
    ['a date', 'Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['a date gone by', 'Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['a date in the form of RFC 850', 'Saturday, 21-Nov-26 12:01:00 GMT', 60_000],
    ['a two-digit year more than 50 years ahead, which is past', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['a date in the form of asctime', 'Sat Nov 21 12:00:01 2026', 1000],
    ['an asctime day of one digit', 'Tue Dec  1 12:00:00 2026', 10 * day],
    ['a leap second', 'Sat, 21 Nov 2026 12:00:60 GMT', 59_000],
    ['more than any limit lasts', '99999999999999999999', maxRetryAfterMs],
    ['a date that far ahead', 'Sat, 21 Nov 2099 12:00:00 GMT', maxRetryAfterMs],
  ])('%s: %s', (_what, text, expected) => expect(parseRetryAfter(text, now)).toBe(expected));

  test.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    'Sat, 21 Nov 2026 12:00:30',
    'Sat, 21 Nov 2026 12:00:30 CET',
    'Sat, 21 Foo 2026 12:00:30 GMT',
    'Sat, 21 Nov 2026 25:00:00 GMT',
    '2026-11-21T12:00:30Z',
  ])('%s is none', (text) => expect(parseRetryAfter(text, now)).toBeUndefined());

  test('a date as JavaScript writes it is read back to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: maxRetryAfterMs / 1000 }), (seconds) => {
        const text = new Date(now + seconds * 1000).toUTCString();
        expect(parseRetryAfter(text, now)).toBe(seconds * 1000);
        expect(parseRetryAfter(String(seconds), now)).toBe(seconds * 1000);
      }),
      { seed: 1 },
    );
  });

  test('any text is none or a wait between 0 and 30 days', () => {
    const digits = fc.stringMatching(/^[0-9 :,A-Za-z-]*$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const wait = parseRetryAfter(text, now) ?? 0;
        expect(wait >= 0 && wait <= maxRetryAfterMs).toBe(true);
      }),
      { seed: 2 },
    );
  });
});
