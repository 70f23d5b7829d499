import { inspect } from 'node:util';
import { toDnsName } from '@zoneproof/dns';
import fc from 'fast-check';
import { accountAt, accountOf, readAccounts } from './accounts.ts';

const account = (label: string): Record<string, unknown> => ({
  username: `user-${label}`,
  password: `password-of-${label}`,
  fulldomain: `${label}.auth.example.net`,
  subdomain: label,
  allowfrom: [],
});
const read = (document: unknown) => readAccounts(typeof document === 'string' ? document : JSON.stringify(document));
const messages = (document: unknown): string[] =>
  read(document).problems.map(({ severity, message }) => `${severity}: ${message}`);

test('the account is that of the domain, else of its nearest parent', () => {
  const { accounts } = read({ 'example.com': account('a'), 'shop.example.com': account('b') });
  const fulldomainOf = (domain: string) => accountOf(accounts, toDnsName(domain))?.fulldomain;
  expect(fulldomainOf('example.com')).toBe('a.auth.example.net');
  expect(fulldomainOf('www.example.com')).toBe('a.auth.example.net');
  expect(fulldomainOf('www.shop.example.com')).toBe('b.auth.example.net');
  expect(fulldomainOf('badexample.com')).toBeUndefined();
  expect(fulldomainOf('com')).toBeUndefined();
});

test('several domains share an account', () => {
  const { accounts, problems } = read({ 'example.com': account('a'), 'example.org': account('a') });
  expect(problems).toEqual([]);
  expect(accountAt(accounts, toDnsName('a.auth.example.net'))?.username).toBe('user-a');
});

test.each<[string, object]>([
  ['members that goacmedns adds', { 'example.com': { ...account('a'), server_url: 'https://auth.example.net' } }],
  ['"*." before a domain', { '*.example.com': account('a') }],
  ['both spellings of one account', { '*.example.com': account('a'), 'example.com': account('a') }],
  ['no allowfrom', { 'example.com': { ...account('a'), allowfrom: undefined } }],
  ['subdomains that are no UUID', { 'example.com': account('my-site') }],
  ['capitals and a final dot', { 'Example.COM.': { ...account('a'), fulldomain: 'A.Auth.example.net.' } }],
  ['U-labels', { 'bücher.example': account('a') }],
])('%s: tolerated', (_title, document) => {
  expect(messages(document)).toEqual([]);
  expect(read(document).accounts.size).toBe(1);
});

test.each<[string, unknown, string[]]>([
  ['nothing', '', ['error: it is empty; it has to hold the credentials document']],
  ['an empty object', {}, ['error: it holds no account']],
  ['a list', [], ['error: it is JSON, but no object with domains as keys']],
  [
    'an account without a domain',
    account('a'),
    [
      'error: domain "username" has no account object',
      'error: domain "password" has no account object',
      'error: domain "fulldomain" has no account object',
      'error: domain "subdomain" has no account object',
      'error: domain "allowfrom" has no account object',
    ],
  ],
  [
    'a key that is no name',
    { 'exa mple.com': account('a') },
    [expect.stringMatching(/^error: the key "exa mple\.com" is not a domain name/) as never],
  ],
  [
    'the challenge name as key',
    { '_acme-challenge.example.com': account('a') },
    ['warning: the key "_acme-challenge.example.com" is never looked up; write the domain itself: "example.com"'],
  ],
  [
    'two accounts for one domain',
    { '*.example.com': account('a'), 'example.com': account('b') },
    ['error: domain "example.com" has two different accounts'],
  ],
  [
    'a fulldomain of another subdomain',
    { 'example.com': { ...account('a'), subdomain: 'b' } },
    ['error: domain "example.com": "subdomain" is not the first label of "fulldomain"'],
  ],
  [
    'a password that no header can carry',
    { 'example.com': { ...account('a'), password: 'pass word' } },
    ['error: domain "example.com": "password" holds white space or characters outside ASCII'],
  ],
  [
    'several problems',
    {
      'example.com': { ...account('a'), password: undefined, username: 7 },
      'example.org': 'text',
      'example.net': account('c'),
    },
    [
      'error: domain "example.com": "username" is no text',
      'error: domain "example.com": "password" is missing',
      'error: domain "example.org" has no account object',
    ],
  ],
])('%s: named', (_title, document, expected) => expect(messages(document)).toEqual(expected));

test('what is not JSON is placed, and never repeated', () => {
  const text = JSON.stringify({ 'example.com': account('a') }, undefined, 2).replace('"subdomain"', 'subdomain');
  const [problem] = messages(text);
  expect(problem).toMatch(/^error: it is not JSON( \(line 6, column 5\))?$/);
});

test('a document that was cut off says where it ends', () => {
  expect(messages('{\n  "example.com": {"username":\n')).toEqual([
    'error: it is not JSON: it ends too early (line 2, column 30)',
  ]);
});

test('any text gives accounts or problems, and no problem repeats a password', () => {
  const password = 'hunter2hunter2';
  const member = fc.oneof(fc.constant(password), fc.jsonValue());
  const value = fc.oneof(
    fc.record({ username: member, password: member, fulldomain: member, subdomain: member }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const document = fc.dictionary(fc.oneof(fc.domain(), fc.constantFrom('example.com', '*.example.com')), value);
  const text = fc.oneof(
    document.map((one) => JSON.stringify(one)),
    document.map((one) => JSON.stringify(one).slice(0, -1)),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (input) => {
      const { accounts, problems } = readAccounts(input);
      expect(accounts.size + problems.length).toBeGreaterThan(0);
      for (const { message } of problems) expect(message).not.toContain(password);
    }),
    { seed: 41, numRuns: 300 },
  );
});

test('an account does not print its password', () => {
  const { accounts } = read({ 'example.com': account('a') });
  expect(inspect(accounts, { depth: 9 }) + JSON.stringify([...accounts])).not.toContain('password-of-a');
});
