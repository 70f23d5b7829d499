import { SecretValue } from '@zoneproof/core';
import fc from 'fast-check';
import { findAlgorithm } from './algorithm.ts';
import { configProblems, type Rfc2136Config, secretProblems } from './config.ts';
import { rfc2136 } from './plugin.ts';

const block: Rfc2136Config = {
  nameserver: '192.0.2.53',
  tsigKeyName: 'acme-update',
  tsigSecretSecretRef: { name: 'tsig', key: 'secret' },
};

const paths = (config: Rfc2136Config): string[] =>
  configProblems(config).map(({ path, severity }) => `${severity} ${path}`);

test.each<[string, Rfc2136Config, string[]]>([
  ['a whole key is fine', block, []],
  ['no key at all is fine', { nameserver: '192.0.2.53' }, []],
  ['IPv6 with a port is fine', { nameserver: '[2001:db8::53]:5353' }, []],
  ['IPv6 without brackets is fine', { nameserver: '2001:db8::53' }, []],
  ['a host name is refused', { ...block, nameserver: 'ns1.example.com' }, ['error nameserver']],
  ['port 0 is refused', { ...block, nameserver: '192.0.2.53:0' }, ['error nameserver']],
  [
    'a key name alone is refused',
    { nameserver: '192.0.2.53', tsigKeyName: 'acme-update' },
    ['error tsigSecretSecretRef'],
  ],
  [
    'a secret alone is refused',
    { nameserver: '192.0.2.53', tsigSecretSecretRef: { name: 'tsig', key: 'secret' } },
    ['error tsigKeyName'],
  ],
  ['the default algorithm alone is fine', { nameserver: '192.0.2.53', tsigAlgorithm: 'HMACSHA256' }, []],
  [
    'an algorithm alone is refused',
    { nameserver: '192.0.2.53', tsigAlgorithm: 'HMACSHA512' },
    ['error tsigKeyName', 'error tsigSecretSecretRef'],
  ],
  ['a key name that is no name is refused', { ...block, tsigKeyName: 'acme update' }, ['error tsigKeyName']],
  ['an unknown algorithm is refused', { ...block, tsigAlgorithm: 'HMACSHA3' }, ['error tsigAlgorithm']],
  ['MD5 is warned about', { ...block, tsigAlgorithm: 'HMACMD5' }, ['warning tsigAlgorithm']],
  [
    'SHA-1 is warned about in the spelling of the RFC',
    { ...block, tsigAlgorithm: 'hmac-sha1' },
    ['warning tsigAlgorithm'],
  ],
  [
    'all problems come at once',
    { nameserver: 'x', tsigKeyName: 'a..b', tsigAlgorithm: 'x' },
    ['error nameserver', 'error tsigSecretSecretRef', 'error tsigKeyName', 'error tsigAlgorithm'],
  ],
])('%s', (_title, config, expected) => expect(paths(config)).toEqual(expected));

test('the message about an unknown algorithm lists the allowed ones', () => {
  const [problem] = configProblems({ ...block, tsigAlgorithm: 'HMACSHA265' });
  expect(problem?.message).toBe(
    '"HMACSHA265" is no TSIG algorithm; take one of HMACMD5, HMACSHA1, HMACSHA224, HMACSHA256, HMACSHA384, HMACSHA512 (or hmac-sha256 and the like)',
  );
});

test.each([
  ['HMACMD5', 'hmac-md5.sig-alg.reg.int'],
  ['hmac-md5', 'hmac-md5.sig-alg.reg.int'],
  ['HMAC-MD5.SIG-ALG.REG.INT.', 'hmac-md5.sig-alg.reg.int'],
  ['HmacSha1', 'hmac-sha1'],
  ['hmac-sha224', 'hmac-sha224'],
  ['HMACSHA256', 'hmac-sha256'],
  ['hmac-sha256.', 'hmac-sha256'],
  ['hmac-sha384', 'hmac-sha384'],
  ['HMAC-SHA512', 'hmac-sha512'],
  ['sha256', undefined],
  ['hmac--sha256', undefined],
  ['', undefined],
])('the algorithm %j is %s', (text, name) => expect(findAlgorithm(text)).toBe(name));

const problemsOf = (secret: string): readonly string[] =>
  secretProblems(block, () => new SecretValue(Buffer.from(secret))).map(({ message }) => message);

test.each([
  ['with padding', 'c2VjcmV0LXNlY3JldA==', []],
  ['without padding', 'c2VjcmV0LXNlY3JldA', []],
  ['with line ends', '\nc2VjcmV0LXNlY3JldA==\r\n\n', []],
  ['empty', ' \n', ['entry "secret" of Secret "tsig" is empty; it has to hold the TSIG secret in base64']],
  [
    'in the URL alphabet',
    'c2Vj_mV0-XNlY3JldA==',
    [
      'entry "secret" of Secret "tsig" is in the URL alphabet of base64 (with "-" or "_"); TSIG secrets use "+" and "/"',
    ],
  ],
  [
    'a whole key file',
    'key "acme-update" { algorithm hmac-sha256; secret "c2VjcmV0"; };',
    ['entry "secret" of Secret "tsig" is not base64; give the text between the quotes of "secret" in the key file'],
  ],
  [
    'one digit too many',
    'c2Vjc',
    ['entry "secret" of Secret "tsig" is not base64; give the text between the quotes of "secret" in the key file'],
  ],
])('a secret %s', (_title, text, expected) => expect(problemsOf(text)).toEqual(expected));

test('every secret in base64 is taken, and no message repeats a secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ minLength: 5 }), (bytes, junk) => {
      expect(problemsOf(Buffer.from(bytes).toString('base64'))).toEqual([]);
      for (const message of problemsOf(`{${junk}}`)) expect(message).not.toContain(junk);
    }),
    { seed: 2136 },
  );
});

test('a Secret that is not there is not asked about', () => {
  expect(secretProblems(block, () => undefined)).toEqual([]);
});

test.each<[string, Rfc2136Config, string]>([
  ['server and key', block, '192.0.2.53:53/acme-update'],
  ['the server alone without a key', { nameserver: '192.0.2.53:5353' }, '192.0.2.53:5353'],
  [
    'one spelling of an address and of a key name',
    { ...block, nameserver: '2001:DB8:0:0::53', tsigKeyName: 'ACME-update.' },
    '[2001:db8::53]:53/acme-update',
  ],
])('the account is %s', (_title, config, account) => expect(rfc2136.account(config, 'default')).toBe(account));
