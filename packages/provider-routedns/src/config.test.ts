import { SecretValue } from '@zoneproof/core';
import { configProblems, type RoutednsConfig, secretProblems } from './config.ts';
import { routedns } from './plugin.ts';

const ref = { name: 'aws', key: 'secret' };
const key = { region: 'eu-central-1', accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKeySecretRef: ref };
const role = 'arn:aws:iam::123456789012:role/dns01';

test.each<RoutednsConfig>([
  key,
  { region: 'us-gov-west-1' },
  { ...key, hostedZoneID: 'Z2FDTNDATAQYW2' },
  { ...key, hostedZoneID: '/hostedzone/Z2FDTNDATAQYW2' },
  { ...key, role, externalID: 'shared-with:us' },
  { region: 'cn-north-1', role: 'arn:aws-cn:iam::123456789012:role/path/dns01' },
  { ...key, endpoint: 'https://dns.example.net' },
])('%j has no problem', (config) => expect(configProblems(config)).toEqual([]));

const { accessKeyID, ...withoutKeyId } = key;
const { secretAccessKeySecretRef, ...withoutSecret } = key;

test.each<readonly [string, RoutednsConfig, path: string, message: RegExp]>([
  ['an availability zone', { region: 'eu-central-1a' }, 'region', /the region is "eu-central-1"/],
  ['a region of other words', { region: 'Frankfurt' }, 'region', /they look like eu-central-1/],
  ['a secret without its key id', withoutKeyId, 'accessKeyID', /goes with its access key id/],
  ['a key id without its secret', withoutSecret, 'secretAccessKeySecretRef', /goes with its secret access key/],
  ['a session key', { ...key, accessKeyID: 'ASIAIOSFODNN7EXAMPLE' }, 'accessKeyID', /session token/],
  ['a key id with white space', { ...key, accessKeyID: 'AKIA ' }, 'accessKeyID', /letters and digits/],
  ['a zone name as id', { ...key, hostedZoneID: 'example.com' }, 'hostedZoneID', /look like Z2FDTNDATAQYW2/],
  ['a role that is no ARN', { ...key, role: 'dns01' }, 'role', /is not the ARN of a role/],
  ['a user as role', { ...key, role: 'arn:aws:iam::123456789012:user/x' }, 'role', /is not the ARN of a role/],
  [
    'a role of another partition',
    { region: 'cn-north-1', role },
    'role',
    /partition aws, but region cn-north-1 is in aws-cn/,
  ],
  ['an external id without role', { ...key, externalID: 'x1' }, 'externalID', /set role/],
  ['a garbled external id', { ...key, role, externalID: 'a b' }, 'externalID', /letters, digits/],
  ['plain http', { ...key, endpoint: 'http://dns.example.net' }, 'endpoint', /https/],
])('%s is a problem', (_title, config, path, message) => {
  expect(configProblems(config)).toEqual([{ path, message: expect.stringMatching(message), severity: 'error' }]);
});

test.each<readonly [string, string, RegExp | undefined]>([
  ['the secret access key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', undefined],
  ['nothing', '\n', /is empty/],
  ['a line of a credentials file', 'aws_secret_access_key = wJalr', /white space/],
  ['the access key id', 'AKIAIOSFODNN7EXAMPLE', /holds an access key id/],
])('a Secret that holds %s', (_title, text, message) => {
  const problems = secretProblems(key, () => new SecretValue(Buffer.from(text)));
  expect(problems.map((problem) => problem.message)).toEqual(message ? [expect.stringMatching(message)] : []);
  expect(JSON.stringify(problems)).not.toContain('wJalr');
});

test('a Secret that is not there is not asked about', () => {
  expect(secretProblems(key, () => undefined)).toEqual([]);
  expect(secretProblems({ region: 'eu-central-1' }, () => new SecretValue(Buffer.from('')))).toEqual([]);
});

test('blocks of one AWS account share limits as far as it can be told', () => {
  expect(routedns.account(key, 'default')).toBe('AKIAIOSFODNN7EXAMPLE');
  expect(routedns.account({ region: 'eu-central-1' }, 'default')).toBe('ambient');
  expect(routedns.account({ ...key, role }, 'default')).toBe('123456789012');
  expect(routedns.account({ region: 'us-east-1', role: `${role}-other` }, 'default')).toBe('123456789012');
  expect(routedns.account({ ...key, endpoint: 'https://dns.example.net/' }, 'default')).toBe(
    'AKIAIOSFODNN7EXAMPLE at dns.example.net',
  );
});
