import fc from 'fast-check';
import { oneLine } from './vendor-text.ts';

test.each<[unknown, string]>([
  ['The zone\r\n  is locked.\t', 'The zone is locked.'],
  ['<b>Bad</b> Gateway', 'Bad Gateway'],
  ['a\u0000b\u200bc\u2028d', 'a b c d'],
  ['\u001b[31mred', '[31mred'],
  [undefined, ''],
  [{ message: 'x' }, ''],
  ['x'.repeat(301), `${'x'.repeat(297)}...`],
])('%j', (text, expected) => {
  expect(oneLine(text)).toBe(expected);
});

test('whatever the vendor says is one line of at most 300 characters without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      const line = oneLine(text);
      expect(line.length).toBeLessThanOrEqual(300);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(line).toBe(line.trim());
    }),
    { seed: 300, numRuns: 500 },
  );
});
