import fc from 'fast-check';
import { toContent, toValue } from './txt-content.ts';

test.each([
  ['abc', '"abc"'],
  ['', '""'],
  ['say "hi" \\ there', '"say \\"hi\\" \\\\ there"'],
  ['tab\tend', '"tab\\009end"'],
  ['größe', '"gr\\195\\182\\195\\159e"'],
  ['x'.repeat(256), `"${'x'.repeat(255)}" "x"`],
])('the value %j is written as %s', (value, content) => {
  expect(toContent(value)).toBe(content);
  expect(toValue(content)).toBe(value);
});

test.each([
  ['unquoted as it is', 'v=spf1 -all', 'v=spf1 -all'],
  ['unquoted with a quote inside', 'say "hi"', 'say "hi"'],
  ['unquoted with a backslash', 'a\\b', 'a\\b'],
  ['several strings', '"a" "b"\t"c""d"', 'abcd'],
  ['an escaped letter', '"\\a\\b"', 'ab'],
  ['text beyond ASCII as it is', '"größe"', 'größe'],
  ['an open quote as it is', '"abc', '"abc'],
  ['something between the strings as it is', '"a" b "c"', '"a" b "c"'],
  ['a last backslash as it is', '"abc\\', '"abc\\'],
  ['a number that is no octet', '"\\999"', '999'],
])('%s: %s', (_title, content, value) => expect(toValue(content)).toBe(value));

test('every value comes back, in strings of at most 255 octets', () => {
  const values = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 700 }), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(values, (text) => {
      const value = Buffer.from(text, 'utf8').toString('utf8'); // without lone surrogates
      const content = toContent(value);
      expect(toValue(content)).toBe(value);
      const strings = content.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
      expect(strings.join(' ')).toBe(content);
      for (const string of strings) expect(string.replace(/\\\d{3}|\\./g, 'x').length - 2).toBeLessThanOrEqual(255);
    }),
    { numRuns: 300, seed: 20261121 },
  );
});

test('any content can be read', () => {
  const contents = fc.string({ unit: fc.constantFrom('"', '\\', ' ', 'a', '0', '9', 'ö'), maxLength: 30 });
  fc.assert(
    fc.property(contents, (content) => {
      const value = toValue(content);
      if (!content.startsWith('"')) expect(value).toBe(content);
      expect(toValue(toContent(value))).toBe(value);
    }),
    { numRuns: 1000, seed: 20261121 },
  );
});
