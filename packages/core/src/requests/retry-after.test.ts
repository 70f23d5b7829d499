import fc from 'fast-check';
import { retryAfterMs } from './retry-after.ts';

const now = Date.UTC(2026, 0, 6, 12, 0, 0);

test.each<[string | readonly string[] | undefined, number | undefined]>([
  ['120', 120_000],
  [' 7 ', 7000],
  [['3', '9'], 3000],
  ['0', 0],
  ['Tue, 06 Jan 2026 12:00:30 GMT', 30_000],
  ['Tuesday, 06-Jan-26 12:00:30 GMT', 30_000],
  ['Tue Jan  6 12:00:30 2026', 30_000],
  ['Mon, 05 Jan 2026 12:00:00 GMT', 0],
  [undefined, undefined],
  ['', undefined],
  [[], undefined],
  ['soon', undefined],
  ['1.5', undefined],
  ['-5', undefined],
  ['2026-01-06T12:00:30Z', undefined],
  ['99999999999', undefined],
])('%j', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});

test('a date in any of the three forms is as far away as it says; nothing is ever negative or no number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400 }), (seconds) => {
      const at = new Date(now + seconds * 1000);
      const [day, date, month, year, time] = at.toUTCString().split(/[ ,]+/) as [
        string,
        string,
        string,
        string,
        string,
      ];
      const asctime = `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`;
      for (const form of [at.toUTCString(), asctime]) expect(retryAfterMs(form, now)).toBe(seconds * 1000);
      expect(retryAfterMs(String(seconds), now)).toBe(seconds * 1000);
    }),
    { seed: 9110, numRuns: 200 },
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 0, max: 4e12 }), (header, at) => {
      const ms = retryAfterMs(header, at);
      expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true);
    }),
    { seed: 9110, numRuns: 500 },
  );
});
