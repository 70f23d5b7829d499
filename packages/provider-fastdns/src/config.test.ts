import { SecretValue } from '@zoneproof/core';
import { accountOf, configProblems, type FastdnsConfig, originOf, secretProblems } from './config.ts';
import { fastdns } from './plugin.ts';

const host = 'akab-h05tnam3wl42son7-nktnlnnx-kbob3i3v.luna.akamaiapis.net';
const config = (more: Partial<FastdnsConfig> = {}): FastdnsConfig => ({ ...fastdns.example, ...more });
const said = (more: Partial<FastdnsConfig>) =>
  configProblems(config(more)).map(({ path, severity, message }) => `${path} ${severity}: ${message}`);

test.each<[Partial<FastdnsConfig>, RegExp | undefined]>([
  [{}, undefined],
  [{ serviceConsumerDomain: `https://${host}` }, new RegExp(`^serviceConsumerDomain error: .*write ${host}$`)],
  [{ serviceConsumerDomain: `${host}/config-dns/v2` }, new RegExp(`error: .*write ${host}$`)],
  [{ serviceConsumerDomain: 'https://' }, /error: .*write akab-\.\.\./],
  [{ serviceConsumerDomain: 'localhost' }, /error: not a host name/],
  [{ serviceConsumerDomain: 'dns.example.com' }, /warning: not a name under luna\.akamaiapis\.net/],
  [{ serviceConsumerDomain: 'dns.example.com', endpoint: 'https://dns.example.com' }, undefined],
  [{ endpoint: 'http://dns.example.com' }, /^endpoint error: not a URL that starts with https/],
  [{ endpoint: 'https://dns.example.com/config-dns/v2' }, /^endpoint error: .*write https:\/\/dns\.example\.com,/],
  [
    { clientSecretSecretRef: { name: 'akamai', key: 'clientToken' } },
    /^clientSecretSecretRef error: names the same entry as clientTokenSecretRef/,
  ],
])('%j', (more, expected) => {
  const problems = said(more);
  expect(problems).toHaveLength(expected ? 1 : 0);
  if (expected) expect(problems[0]).toMatch(expected);
});

const edgerc = `[default]\nclient_secret = C113nt53KR3TN6N90yVuAgICxIRwsObLi0E67/N8eRN=\nhost = ${host}\n`;
test.each<[string, string, RegExp | undefined]>([
  ['clientToken', 'akab-c113ntt0k3n4qtari252bfxxbsl-yvsdj', undefined],
  ['clientToken', `${'akab-c113ntt0k3n4'}\n`, undefined],
  ['clientToken', edgerc, /holds the text of \.edgerc; put only what stands after "client_token ="/],
  ['clientSecret', 'client_secret = C113nt53KR3T', /after "client_secret ="/],
  ['clientSecret', 'akab-4cc355t0k3n', /holds a token/],
  ['accessToken', ' akab-4cc355t0k3n', /spaces or line breaks/],
  ['accessToken', 'akab-4cc;signature=x', /characters that no access_token has/],
  ['accessToken', 'akab-\u00e4', /characters that no access_token has/],
  ['accessToken', '', /is empty/],
])('entry %s with %j', (key, text, expected) => {
  const problems = secretProblems(config(), (ref) =>
    ref.key === key ? new SecretValue(Buffer.from(text)) : undefined,
  );
  expect(problems).toHaveLength(expected ? 1 : 0);
  if (!expected) return;
  expect(problems[0]).toMatchObject({ path: `${key}SecretRef`, severity: 'error' });
  expect(problems[0]?.message).toMatch(expected);
  expect(problems[0]?.message).not.toMatch(/C113nt53|4cc355/);
});

test('requests go to the endpoint where there is one, and the account is that of the API client', () => {
  expect(originOf(config())).toBe(`https://${host}`);
  expect(originOf(config({ endpoint: 'https://dns.example.com:8443/' }))).toBe('https://dns.example.com:8443');
  expect(accountOf(config())).toBe(host);
  expect(accountOf(config({ accountSwitchKey: '1-5C0YLB:1-8BYUX' }))).toBe(`${host}/1-5C0YLB:1-8BYUX`);
});
