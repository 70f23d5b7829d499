import fc from 'fast-check';
import { quoteTxt, unquoteTxt } from './txt.ts';

const seeded = { seed: 20260, numRuns: 300 };

test.each([
  ['LPsIwTo7o8BoG0-vjCyGQGBWSVIPxI-i_X336eUOQZo', '"LPsIwTo7o8BoG0-vjCyGQGBWSVIPxI-i_X336eUOQZo"'],
  ['', '""'],
  ['say "yes" \\ no', '"say \\"yes\\" \\\\ no"'],
  ['für', '"f\\303\\274r"'],
  ['a\tb', '"a\\011b"'],
])('%s is written %s', (value, stored) => {
  expect(quoteTxt(value)).toBe(stored);
  expect(unquoteTxt(stored)).toBe(value);
});

test.each([
  ['"one" "two"', 'onetwo'],
  ['"one""two"', 'onetwo'],
  ['bare', 'bare'],
  ['"\\*"', '*'],
  ['"a;b"', 'a;b'],
])('what others may have stored is read: %s', (stored, value) => expect(unquoteTxt(stored)).toBe(value));

test('every value survives, in strings of at most 255 octets and printable characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (value) => {
      const stored = quoteTxt(value);
      expect(stored).toMatch(/^[ -~]+$/);
      for (const [, inside = ''] of stored.matchAll(/"((?:[^"\\]|\\.)*)"/g))
        expect(inside.replace(/\\(?:[0-7]{3}|.)/g, 'x').length).toBeLessThanOrEqual(255);
      expect(unquoteTxt(stored)).toBe(Buffer.from(value).toString());
    }),
    seeded,
  );
});

test('nothing that stands there makes reading fail', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (stored) => expect(typeof unquoteTxt(stored)).toBe('string')),
    seeded,
  );
});
