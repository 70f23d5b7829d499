import fc from 'fast-check';
import { AllowedEndpointsError, parseAllowedEndpoints } from './allowed-endpoints.ts';
import { CidrError, inCidr, parseCidrs } from './cidr.ts';
import { embeddedAddresses } from './embedded-address.ts';

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', 'fd00::/129', 'example.com', '10.0.0.0/a', '/8'])(
  '"%s" is no range',
  (entry) => {
    expect(() => parseCidrs(`192.0.2.0/24,${entry}`)).toThrow(CidrError);
    expect(() => parseCidrs(entry)).toThrow(`"${entry}" is no range of addresses`);
  },
);

test('every address of a range is in it, and no other', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.nat(32), fc.nat(2 ** 32 - 1), (network, bits, address) => {
      const text = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
      const prefix = (value: number) => (bits === 0 ? 0 : value >>> (32 - bits));
      const [cidr] = parseCidrs(`${text(network)}/${bits}`);
      expect(inCidr(cidr!)(text(address))).toBe(prefix(address) === prefix(network));
    }),
  );
});

test('any IPv6 address can be looked into, and a mapped one is what it stands for', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (words) => {
      for (const one of embeddedAddresses(words.map((word) => word.toString(16)).join(':')))
        expect(one).toMatch(/^\d{1,3}(\.\d{1,3}){3}$/);
    }),
  );
  expect(embeddedAddresses('::ffff:192.0.2.1')).toEqual(['192.0.2.1']);
  expect(embeddedAddresses('fe80::1%eth0')).toEqual([]);
  expect(embeddedAddresses('192.0.2.1')).toEqual([]);
  expect(embeddedAddresses('::1')).toEqual([]);
});

test('endpoints are compared by host, and by port where the entry has one', () => {
  const allowed = parseAllowedEndpoints('dns.example.com, bücher.example:8443 [2001:db8::53] Lab.Test.:443');
  for (const url of [
    'https://dns.example.com',
    'https://DNS.example.com:9443/client/v4',
    'https://xn--bcher-kva.example:8443/',
    'https://[2001:DB8:0::53]/',
    'https://lab.test/',
    'https://dns.example.com./',
  ])
    expect([url, allowed.allowsUrl(url)]).toEqual([url, true]);
  for (const url of [
    'https://example.com',
    'https://a.dns.example.com',
    'https://dns.example.com.evil.test',
    'https://dns.example.com@evil.test/',
    'https://xn--bcher-kva.example/',
    'https://lab.test:8443',
    'dns.example.com',
    '',
  ])
    expect([url, allowed.allowsUrl(url)]).toEqual([url, false]);
  expect(parseAllowedEndpoints('').allowsUrl('https://dns.example.com')).toBe(false);
});

test.each([
  'https://dns.example.com',
  'dns.example.com/path',
  'user@dns.example.com',
  'a:99999',
  'a:b',
  '*',
  '*.example.com',
])('"%s" names no host', (entry) => {
  expect(() => parseAllowedEndpoints(entry)).toThrow(AllowedEndpointsError);
});
