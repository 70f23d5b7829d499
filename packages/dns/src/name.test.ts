import { isWithin, toDnsName } from '@zoneproof/dns';

test.each([
  ['Example.COM.', 'example.com'],
  ['*.bücher.example', '*.xn--bcher-kva.example'],
  ['_acme-challenge.a.example', '_acme-challenge.a.example'],
])('%s is read as %s', (text, name) => expect(toDnsName(text)).toBe(name));

test.each([
  'a..b',
  '-a.example',
  'a b.example',
  'a.*.example',
  `${'a'.repeat(64)}.example`,
  `${'abcdefg.'.repeat(40)}com`,
])('%s is refused', (text) => expect(() => toDnsName(text)).toThrow(/is not a domain name/));

test('a zone holds names on a label boundary only', () => {
  expect(isWithin(toDnsName('a.example.com'), toDnsName('example.com'))).toBe(true);
  expect(isWithin(toDnsName('badexample.com'), toDnsName('example.com'))).toBe(false);
});
