import fc from 'fast-check';
import { fromRdata, toRdata } from './txt.ts';

test.each<[string, string]>([
  ['a challenge value', 'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0'],
  ['an empty value', ''],
  ['spaces', 'v=spf1 -all'],
  ['quotes and backslashes', 'a "quoted" \\ value'],
  ['octets beyond ASCII', 'h\u00fclle\0\u00ff'],
])('%s comes back as it was', (_title, value) => {
  expect(fromRdata(toRdata(value))).toBe(value);
});

test('every value of octets comes back as it was, in strings of at most 255 octets of plain ASCII', () => {
  const octets = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  fc.assert(
    fc.property(octets, (value) => {
      const rdata = toRdata(value);
      expect(rdata).toMatch(/^("([^"\\]|\\\d{3}|\\["\\])*"( |$))+$/);
      expect(rdata).toMatch(/^[ -~]*$/);
      expect(fromRdata(rdata)).toBe(value);
    }),
    { seed: 20261121 },
  );
});

test.each<[string, string | undefined]>([
  ['"a" "b"', 'ab'],
  ['plain', 'plain'],
  ['two words', 'twowords'],
  ['"\\065\\"\\\\"', 'A"\\'],
  ['esc\\"aped', 'esc"aped'],
  ['  "a"  ', 'a'],
  ['"\u20ac"', Buffer.from('\u20ac').toString('latin1')],
  ['"open', undefined],
  ['a"b', undefined],
  ['""junk"', undefined],
  ['', undefined],
])('rdata %s is the value %j', (rdata, value) => {
  expect(fromRdata(rdata)).toBe(value);
});

test('a long value is cut at 255 octets', () => {
  expect(toRdata('x'.repeat(300))).toBe(`"${'x'.repeat(255)}" "${'x'.repeat(45)}"`);
});
