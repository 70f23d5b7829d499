import { clockOffsetMs, describeOffset, headerOf } from './headers.ts';

test('the first of several values', () => {
  expect(headerOf({ a: 'x', b: ['y', 'z'], c: [] }, 'a')).toBe('x');
  expect(headerOf({ a: 'x', b: ['y', 'z'] }, 'b')).toBe('y');
  expect(headerOf({ c: [] }, 'c')).toBeUndefined();
  expect(headerOf({}, 'd')).toBeUndefined();
});

test.each([
  ['Tue, 06 Jan 2026 12:00:00 GMT', 30_000],
  ['Tue, 06 Jan 2026 12:01:00 GMT', -30_000],
  ['yesterday', undefined],
  [undefined, undefined],
])('by a Date of %j the clock is off by %j ms', (date, offMs) => {
  const now = Date.UTC(2026, 0, 6, 12, 0, 30);
  expect(clockOffsetMs(date === undefined ? {} : { date }, now)).toBe(offMs);
});

test.each([
  [20_400, '20 s ahead of'],
  [-119_000, '119 s behind'],
  [420_000, '7 min ahead of'],
  [-5_400_000, '90 min behind'],
])('%d ms are %s', (offsetMs, words) => expect(describeOffset(offsetMs)).toBe(words));
