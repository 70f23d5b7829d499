import { generateKeyPairSync } from 'node:crypto';
import { SecretValue, schemaProblems } from '@zoneproof/core';
import { startGoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import type { ClouddnsConfig } from './config.ts';
import { clouddns } from './plugin.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const file = {
  type: 'service_account',
  project_id: 'dns-prod-1234',
  private_key_id: '0123',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  client_email: 'acme@dns-prod-1234.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};
const block: ClouddnsConfig = clouddns.example;

describe('the block', () => {
  test.each<[string, object, string]>([
    ['an http endpoint', { endpoint: 'http://dns.example.net' }, 'endpoint'],
    ['a bundle without a certificate', { caBundle: 'not PEM' }, 'caBundle'],
    ['a broken certificate', { caBundle: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }, 'caBundle'],
  ])('%s is a problem', (_title, more, path) => {
    const problems = clouddns.problems?.({ ...block, ...more }) ?? [];
    expect(problems).toMatchObject([{ path, severity: 'error' }]);
  });

  test('an endpoint with its own CA is none', async () => {
    const { origin, caBundle, close } = await startGoogleCloudDns();
    expect(clouddns.problems?.({ ...block, endpoint: origin, caBundle })).toEqual([]);
    await close();
  });

  test.each([
    { project: 'My Project' },
    { project: '../other' },
    { managedZone: 'a/b' },
    { managedZone: 'example.com' },
  ])('%j does not satisfy the schema', (more) =>
    expect(schemaProblems(clouddns.schema, { ...block, ...more })).toHaveLength(1),
  );

  test.each([{ project: 'example.com:old-project' }, { managedZone: '7000000000000000001' }])('%j does', (more) =>
    expect(schemaProblems(clouddns.schema, { ...block, ...more })).toEqual([]),
  );

  test('the account is the project, at another endpoint another one', () => {
    expect(clouddns.account(block, 'default')).toBe('dns-prod-1234');
    expect(clouddns.account({ project: 'p', managedZone: 'z' }, 'default')).toBe('p');
    expect(clouddns.account({ project: 'p', endpoint: 'https://dns.example.net/' }, 'default')).toBe(
      'dns.example.net/p',
    );
  });
});

describe('the key file', () => {
  function problems(text: string, config: ClouddnsConfig = block) {
    return clouddns.secretProblems?.(config, () => new SecretValue(Buffer.from(text))) ?? [];
  }

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  test.each<[string, string, RegExp]>([
    ['no JSON', 'private_key=xyzzy-secret', /not a JSON object/],
    ['a list', '["xyzzy-secret"]', /not a JSON object/],
    [
      'the login of a person',
      JSON.stringify({ type: 'authorized_user', refresh_token: 'xyzzy-secret' }),
      /authorized_user/,
    ],
    ['federation', JSON.stringify({ type: 'external_account' }), /ambient credentials/],
    ['no type', JSON.stringify({ ...file, type: undefined }), /field type is missing/],
    ['an unknown type', JSON.stringify({ ...file, type: 'xyzzy-secret' }), /not "service_account"/],
    ['no address', JSON.stringify({ ...file, client_email: undefined }), /client_email is missing/],
    ['no key', JSON.stringify({ ...file, private_key: '' }), /private_key is missing/],
    ['a key that does not parse', JSON.stringify({ ...file, private_key: 'xyzzy-secret' }), /no RSA key/],
    ['a key that is no RSA key', JSON.stringify({ ...file, private_key: ec }), /no RSA key/],
    [
      'another token host',
      JSON.stringify({ ...file, token_uri: 'https://xyzzy-secret.example/token' }),
      /away from Google/,
    ],
    [
      'a host that only looks like Google',
      JSON.stringify({ ...file, token_uri: 'https://evilgoogleapis.com/t' }),
      /away from Google/,
    ],
    [
      'a plain token URL',
      JSON.stringify({ ...file, token_uri: 'http://oauth2.googleapis.com/token' }),
      /away from Google/,
    ],
    [
      'a user in the token URL',
      JSON.stringify({ ...file, token_uri: 'https://a@oauth2.googleapis.com/' }),
      /away from Google/,
    ],
  ])('%s is a problem, and nothing of it is repeated', (_title, text, says) => {
    const found = problems(text);
    expect(found).toMatchObject([{ path: 'serviceAccountSecretRef', severity: 'error' }]);
    expect(found[0]?.message).toMatch(says);
    expect(found[0]?.message).toMatch(/entry "service-account.json" of Secret "clouddns"/);
    expect(JSON.stringify(found)).not.toMatch(/xyzzy-secret/);
  });

  test('a right one is none; of another project it is a warning; with an endpoint its own token URL counts', () => {
    expect(problems(JSON.stringify(file))).toEqual([]);
    expect(problems(JSON.stringify({ ...file, token_uri: undefined, project_id: undefined }))).toEqual([]);
    expect(problems(JSON.stringify({ ...file, token_uri: 'https://accounts.google.com/o/oauth2/token' }))).toEqual([]);
    expect(problems(JSON.stringify({ ...file, project_id: 'other' }))).toMatchObject([{ severity: 'warning' }]);
    const elsewhere = JSON.stringify({ ...file, token_uri: 'https://login.example.net/token' });
    expect(problems(elsewhere, { ...block, endpoint: 'https://dns.example.net' })).toEqual([]);
  });

  test('without a reference nothing is read', () => {
    const read = () => {
      throw new Error('nothing to read');
    };
    expect(clouddns.secretProblems?.({ project: 'p' }, read)).toEqual([]);
  });
});
