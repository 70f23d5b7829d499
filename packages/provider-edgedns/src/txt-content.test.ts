import { formatTxt } from '@zoneproof/dns';
import fc from 'fast-check';
import { txtValueOf } from './txt-content.ts';

test.each([
  ['strings', '"a" "b\\"c"', 'ab"c'],
  ['unquoted as it is', 'v=spf1 -all', 'v=spf1 -all'],
  ['unquoted with a quote inside', 'say "hi"', 'say "hi"'],
  ['unquoted with a backslash', 'a\\b', 'a\\b'],
  ['an open quote as it is', '"abc', '"abc'],
  ['a last backslash as it is', '"abc\\', '"abc\\'],
  ['text beyond ASCII, quoted or not: a value has one character per octet', '"\u00fc"', '\u00c3\u00bc'],
  ['', '\u00fc', '\u00c3\u00bc'],
])('%s: %s', (_title, content, value) => expect(txtValueOf(content)).toBe(value));

test('any content can be read, and what is written comes back', () => {
  const contents = fc.string({ unit: fc.constantFrom('"', '\\', ' ', 'a', '0', '9', '\u00f6'), maxLength: 30 });
  fc.assert(
    fc.property(contents, (content) => {
      const value = txtValueOf(content);
      expect(txtValueOf(formatTxt(value))).toBe(value);
    }),
    { numRuns: 1000, seed: 20261121 },
  );
});
