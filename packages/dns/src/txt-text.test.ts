import fc from 'fast-check';
import { DnsEncodeError } from './message.ts';
import { formatTxt, parseTxt } from './txt-text.ts';

const octets = fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const seeded = { seed: 1035, numRuns: 500 };

test.each([
  ['LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0', '"LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0"'],
  ['', '""'],
  ['say "hi" \\ there', '"say \\"hi\\" \\\\ there"'],
  ['tab\tend', '"tab\\009end"'],
  ['h\u00fcl\0\u00ff', '"h\\252l\\000\\255"'],
  ['x'.repeat(255), `"${'x'.repeat(255)}"`],
  ['x'.repeat(256), `"${'x'.repeat(255)}" "x"`],
])('the value %j is written as %s', (value, text) => {
  expect(formatTxt(value)).toBe(text);
  expect(parseTxt(text)?.join('')).toBe(value);
});

test('octets by their octal number', () => {
  expect(formatTxt('tab\tend \u00ff "', 'octal')).toBe('"tab\\011end \\377 \\""');
  expect(parseTxt('"tab\\011end \\377"', 'octal')).toEqual(['tab\tend \u00ff']);
});

test('what is no octet is not written', () => {
  expect(() => formatTxt('10 \u20ac')).toThrow(DnsEncodeError);
});

test.each<[title: string, text: string, strings: readonly string[] | undefined]>([
  ['several strings', '"a" "b"\t"c""d"', ['a', 'b', 'c', 'd']],
  ['words', ' two words ', ['two', 'words']],
  ['a word beside a string', '"a" b', ['a', 'b']],
  ['escapes in a word', 'esc\\"aped\\032', ['esc"aped ']],
  ['an escaped letter', '"\\a\\;"', ['a;']],
  ['numbers', '"\\065\\034\\\\"', ['A"\\']],
  ['letters beyond ASCII as UTF-8', '"\u00fc\u20ac"', [Buffer.from('\u00fc\u20ac').toString('latin1')]],
  ['an octet beyond ASCII that is no space', 'voil\u00e0', [Buffer.from('voil\u00e0').toString('latin1')]],
  ['a string of 255 octets', `"${'\\120'.repeat(255)}"`, ['x'.repeat(255)]],
  ['one of 256', `"${'x'.repeat(256)}"`, undefined],
  ['an open quote', '"abc', undefined],
  ['a quote inside a word', 'a"b', undefined],
  ['a string with something behind it', '"a"b', undefined],
  ['a last backslash', '"abc\\', undefined],
  ['a number that is no octet', '"\\256"', undefined],
  ['a number that is none', '"\\25x"', undefined],
  ['nothing', ' ', undefined],
])('%s: %s', (_title, text, strings) => expect(parseTxt(text)).toEqual(strings));

test.each(['decimal', 'octal'] as const)(
  'every value comes back, in strings of at most 255 octets and printable ASCII (%s)',
  (escapes) => {
    fc.assert(
      fc.property(octets, (value) => {
        const text = formatTxt(value, escapes);
        expect(text).toMatch(/^[ -~]*$/);
        const strings = parseTxt(text, escapes) ?? [];
        expect(strings.join('')).toBe(value);
        for (const string of strings.slice(0, -1)) expect(string).toHaveLength(255);
      }),
      seeded,
    );
  },
);

test('any text can be read, and what was read is written so that it is read again', () => {
  const texts = fc.string({ unit: fc.constantFrom('"', '\\', ' ', 'a', '0', '2', '9', '\u00f6'), maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.constantFrom('decimal', 'octal'), (text, escapes) => {
      const strings = parseTxt(text, escapes);
      if (strings === undefined) return;
      expect(parseTxt(strings.map((one) => formatTxt(one, escapes)).join(' '), escapes)).toEqual(strings);
    }),
    { ...seeded, numRuns: 2000 },
  );
});
