import { createRegistry, SecretValue } from '@zoneproof/core';
import { type EdgednsConfig, secretProblems } from './config.ts';
import { edgedns } from './plugin.ts';

const token = { apiTokenSecretRef: { name: 'cloudflare', key: 'token' } };
const key = { email: 'admin@example.com', apiKeySecretRef: { name: 'cloudflare', key: 'key' } };

const installed = { key: 'edgedns', packageName: 'p', version: '1.0.0', directory: '/p' };
const registry = createRegistry([installed], { importPlugin: async () => ({ edgedns }) });

test.each<[title: string, block: object, problems: string[]]>([
  ['a token', token, []],
  ['e-mail and key', key, []],
  ['an endpoint', { ...token, endpoint: 'https://cloudflare.example.net/client/v4' }, []],
  ['nothing', {}, ['apiTokenSecretRef: no credentials: set apiTokenSecretRef, or email together with apiKeySecretRef']],
  ['both', { ...token, ...key }, ['apiTokenSecretRef: set beside email or apiKeySecretRef; use either']],
  ['a token and an e-mail', { ...token, email: key.email }, ['apiTokenSecretRef: set beside email']],
  ['no e-mail', { apiKeySecretRef: key.apiKeySecretRef }, ['email: missing: a Global API Key works with']],
  ['no key', { email: key.email }, ['apiKeySecretRef: missing: an e-mail address works with']],
  ['no e-mail address', { ...key, email: 'admin' }, ['email: must be an e-mail address']],
  ['plain http', { ...token, endpoint: 'http://api.example.net' }, ['endpoint: not a URL that starts with https']],
  ['a typing error', { apiTokenSecretReff: token.apiTokenSecretRef }, ['apiTokenSecretReff: unknown field']],
])('%s', async (_title, block, expected) => {
  const problems = await registry.validate('edgedns', block);
  expect(problems).toHaveLength(expected.length);
  problems.forEach(({ path, message }, at) => {
    expect(`${path}: ${message}`).toContain(expected[at]);
  });
});

test("a block with Akamai's fields is told to use fastdns", async () => {
  const reference = { name: 'akamai', key: 'x' };
  const problems = await registry.validate('edgedns', {
    host: 'akab-abc.luna.akamaiapis.net',
    serviceConsumerDomain: 'akab-abc.luna.akamaiapis.net',
    clientTokenSecretRef: reference,
    clientSecretSecretRef: reference,
    accessTokenSecretRef: reference,
  });
  expect(problems).toHaveLength(5);
  for (const { path, message } of problems) expect(message).toMatch(`${path} belongs to Akamai`);
  for (const { message } of problems) expect(message).toMatch(/use fastdns$/);
});

const apiToken = 'YQSn-xWAQiiEh9qM58wZNnyQS7FUdoqGIUAbrh7T';
const apiKey = '144c9defac04969c7bfad8efaa8ea194aa5a3';

test.each<[block: EdgednsConfig, text: string, problem: RegExp | undefined]>([
  [token, apiToken, undefined],
  [token, `cfut_${apiToken}12ab`, undefined],
  [token, `cfat_${apiToken}12ab`, undefined],
  [token, 'a-form-that-comes-later_1', undefined],
  [key, apiKey, undefined],
  [key, `cfk_${apiKey}123`, undefined],
  [token, apiKey, /^entry "token" of Secret "cloudflare" holds a Global API Key; put it into apiKeySecretRef/],
  [token, `cfk_${apiKey}123`, /holds a Global API Key/],
  [key, apiToken, /^entry "key" of Secret "cloudflare" holds an API token; put it into apiTokenSecretRef/],
  [key, `cfut_${apiToken}12ab`, /holds an API token/],
  [token, `Bearer ${apiToken}`, /begins with "Bearer"/],
  [token, '', /is empty/],
  [token, `${apiToken}\n${apiToken}`, /holds more than letters, digits/],
  [token, 'akab-abcdefghijklmnop-qrstuvwxyz012345', /belongs to Akamai.*use fastdns$/],
  [key, 'client_secret = abcdefghij\nhost = akab-x.luna.akamaiapis.net', /belongs to Akamai.*use fastdns$/],
])('%j with the Secret %j', (block, text, problem) => {
  const problems = secretProblems(block, () => new SecretValue(Buffer.from(`${text}\n`)));
  expect(problems).toHaveLength(problem === undefined ? 0 : 1);
  if (problem === undefined) return;
  expect(problems[0]?.message).toMatch(problem);
  if (text.length > 8) expect(problems[0]?.message).not.toContain(text.slice(0, 20));
});

test('a Secret that is not there is not asked about', () => {
  expect(secretProblems(token, () => undefined)).toEqual([]);
});

test('the account is the user, or the reference of the token, and where it is', () => {
  expect(edgedns.account(key, 'default')).toBe('admin@example.com');
  expect(edgedns.account({ ...key, email: 'Admin@Example.com' }, 'default')).toBe(edgedns.account(key, 'default'));
  expect(edgedns.account(token, 'default')).toBe('token default/cloudflare/token');
  const elsewhere = ['https://API.example.net/client/v4', 'https://api.example.net:443/client/v4/'];
  expect(new Set(elsewhere.map((endpoint) => edgedns.account({ ...token, endpoint }, 'default')))).toEqual(
    new Set(['token default/cloudflare/token at https://api.example.net/client/v4']),
  );
});
