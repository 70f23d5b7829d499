import fc from 'fast-check';
import { fromRrdata, toRrdata } from './rrdata.ts';

const value = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 600,
});

test('a value comes back as it was written, whatever its octets', () => {
  fc.assert(
    fc.property(value, (text) => fromRrdata(toRrdata(text)) === text),
    { seed: 4, numRuns: 500 },
  );
});

test('what is written is quoted strings of at most 255 octets in printable ASCII', () => {
  fc.assert(
    fc.property(value, (text) => {
      const rrdata = toRrdata(text);
      expect(rrdata).toMatch(
        /^"(?:[ !#-[\]-~]|\\["\\]|\\\d{3}){0,255}"(?: "(?:[ !#-[\]-~]|\\["\\]|\\\d{3}){1,255}")*$/,
      );
    }),
    { seed: 4, numRuns: 500 },
  );
});

test('reading never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('"', '\\', ' ', 'a', '0', '9', 'ü'), maxLength: 40 }), (text) => {
      expect(typeof fromRrdata(text)).toBe('string');
    }),
    { seed: 4, numRuns: 1000 },
  );
});

test.each([
  ['"abc"', 'abc'],
  ['abc', 'abc'],
  ['"a" "b"  c', 'abc'],
  ['"with \\"quotes\\" and \\\\"', 'with "quotes" and \\'],
  ['"\\065\\066"', 'AB'],
  ['""', ''],
  ['"v=spf1 -all"', 'v=spf1 -all'],
  ['"ü"', '\u00c3\u00bc'],
  ['"open', '"open'],
  ['"a"b', '"a"b'],
])('%s says %s', (rrdata, says) => expect(fromRrdata(rrdata)).toBe(says));
