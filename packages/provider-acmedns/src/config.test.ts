import { SecretValue } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { type AcmednsConfig, configProblems, endpoint, secretProblems, serves } from './config.ts';
import { acmedns } from './plugin.ts';

const block: AcmednsConfig = {
  host: 'https://auth.example.net',
  accountSecretRef: { name: 'acmedns', key: 'accounts.json' },
};

test.each<[string, Partial<AcmednsConfig>, string[]]>([
  ['https', {}, []],
  ['https with a path', { host: 'https://example.net/acme-dns/' }, []],
  ['plain http on this machine', { host: 'http://127.0.0.1:8053' }, []],
  ['plain http elsewhere', { host: 'http://auth.example.net' }, ['warning host: plain http']],
  [
    'the public instance',
    { host: 'https://auth.acme-dns.io' },
    ['warning host: auth.acme-dns.io is a public instance'],
  ],
  ['a host without a scheme', { host: 'auth.example.net' }, ['error host: not the URL']],
  ['another scheme', { host: 'ftp://auth.example.net' }, ['error host: not the URL']],
  ['credentials in the URL', { host: 'https://me:secret@auth.example.net' }, ['error host: carries a user name']],
  ['a query', { host: 'https://auth.example.net/?a=b' }, ['error host: a base URL']],
  ['a name server with a port', { nameserver: '[2001:db8::54]:5353' }, []],
  ['a name server by name', { nameserver: 'ns.example.net' }, ['error nameserver: "ns.example.net" is no address']],
  ['a bundle without a certificate', { caBundle: 'no PEM' }, ['error caBundle: holds no certificate']],
])('%s', (_title, change, expected) => {
  const problems = configProblems({ ...block, ...change });
  expect(problems.map(({ path, severity }) => `${severity} ${path}`)).toEqual(expected.map((one) => one.split(':')[0]));
  for (const [at, { severity, path, message }] of problems.entries())
    expect(`${severity} ${path}: ${message}`).toContain(expected[at]);
  for (const { message } of problems) expect(message).not.toContain('secret@');
});

test('the endpoints are below the host', () => {
  expect(endpoint('https://auth.example.net', 'update')).toBe('https://auth.example.net/update');
  expect(endpoint('https://example.net/acme-dns//', 'health')).toBe('https://example.net/acme-dns/health');
});

test('one API is one account, however its URL is written', () => {
  const accounts = ['https://auth.example.net', 'https://AUTH.example.net:443/', 'https://auth.example.net//'];
  expect(new Set(accounts.map((host) => acmedns.account({ ...block, host }, 'default')))).toEqual(
    new Set(['https://auth.example.net']),
  );
});

const document = JSON.stringify({
  'example.com': { username: 'u', password: 'p'.repeat(40), fulldomain: 'a.auth.example.net', subdomain: 'a' },
  'example.org': {},
});
const read = () => new SecretValue(Buffer.from(document));

test('problems of the document name the Secret, its entry and the domain', () => {
  expect(secretProblems(block, read).map(({ path, message }) => `${path}: ${message}`)).toEqual(
    ['username', 'password', 'fulldomain', 'subdomain'].map(
      (member) =>
        `accountSecretRef: entry "accounts.json" of Secret "acmedns": domain "example.org": "${member}" is missing`,
    ),
  );
  expect(secretProblems(block, () => undefined)).toEqual([]);
});

test('it serves the domains of the document and what is below them', () => {
  expect(serves(block, read, toDnsName('www.example.com'))).toBe(true);
  expect(serves(block, read, toDnsName('example.net'))).toBe(false);
  expect(serves(block, () => undefined, toDnsName('example.com'))).toBeUndefined();
});
