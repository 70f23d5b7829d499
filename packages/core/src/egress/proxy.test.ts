import { plainAddress } from './address-guard.ts';
import { createProxyChoice, proxyAuthorization } from './proxy.ts';

const httpsProxy = 'http://proxy.example:3128';

test.each([
  // noProxy, target, direct?
  ['', 'https://example.com/', false],
  ['*', 'https://example.com/', true],
  ['example.com', 'https://example.com/', true],
  ['example.com', 'https://www.example.com/', true],
  ['.example.com', 'https://www.example.com/', true],
  ['*.example.com', 'https://www.example.com/', true],
  ['example.com', 'https://badexample.com/', false],
  ['EXAMPLE.com', 'https://Example.COM/', true],
  ['a.test, example.com', 'https://example.com/', true],
  ['a.test example.com', 'https://example.com/', true],
  ['example.com:8443', 'https://example.com/', false],
  ['example.com:8443', 'https://example.com:8443/', true],
  ['example.com:443', 'https://example.com/', true],
  ['10.0.0.0/8', 'https://10.1.2.3/', true],
  ['10.0.0.0/8', 'https://11.1.2.3/', false],
  ['10.0.0.0/99', 'https://10.1.2.3/', false],
  ['2001:db8::/32', 'https://[2001:db8::7]/', true],
  ['2001:db8::7', 'https://[2001:db8::7]/', true],
  ['[2001:db8::7]:444', 'https://[2001:db8::7]:444/', true],
  ['[2001:db8::7]:444', 'https://[2001:db8::7]/', false],
  ['192.0.2.1', 'https://192.0.2.1/', true],
  ['2.1', 'https://192.0.2.1/', false],
  ['', 'https://localhost/', true],
  ['', 'https://127.9.9.9/', true],
  ['', 'https://[::1]/', true],
])('NO_PROXY "%s": %s goes directly: %s', (noProxy, target, direct) => {
  const choice = createProxyChoice({ httpsProxy, noProxy });
  expect(choice(new URL(target))?.host).toBe(direct ? undefined : 'proxy.example:3128');
});

test('each scheme has its own proxy; an empty value is none', () => {
  const choice = createProxyChoice({ httpsProxy, httpProxy: 'other.example:80' });
  expect(choice(new URL('https://a.test'))?.hostname).toBe('proxy.example');
  expect(choice(new URL('http://a.test'))?.hostname).toBe('other.example');
  expect(createProxyChoice({ httpsProxy, httpProxy: ' ' })(new URL('http://a.test'))).toBeUndefined();
  expect(createProxyChoice({})(new URL('http://a.test'))).toBeUndefined();
});

test.each(['socks5://proxy.example:1080', 'http://', 'http://user:hunter2@:1'])(
  '%s is refused without being shown',
  (url) => {
    expect(() => createProxyChoice({ httpsProxy: url })).toThrow(
      /^HTTPS_PROXY is no URL of an http or https proxy(?!.*hunter2)/,
    );
  },
);

test('credentials are decoded', () => {
  expect(proxyAuthorization(new URL('http://a%3Ab:c%20d@p'))).toBe(`Basic ${btoa('a:b:c d')}`);
  expect(proxyAuthorization(new URL('http://p'))).toBeUndefined();
});

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:a00:1', '10.0.0.1'],
  ['0:0:0:0:0:ffff:a00:1', '10.0.0.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
])('the address %s is judged as %s', (address, plain) => expect(plainAddress(address)).toBe(plain));
