import { createSign } from 'node:crypto';
import type { ApiRequest } from '../emulator/index.ts';
import { Identities, type ServiceAccountKey } from './identities.ts';
import { answerToken } from './token-endpoint.ts';

const scope = 'https://www.googleapis.com/auth/ndev.clouddns.readwrite';
const tokenUri = 'https://oauth2.example/token';
const now = Date.parse('2026-11-21T12:00:00Z');
const seconds = now / 1000;
const identities = new Identities();
let key: ServiceAccountKey;

beforeAll(async () => {
  key = await identities.newServiceAccount('test-project', tokenUri);
});

/** Signed with Node alone, as RFC 7515 and Google's page say. */
function assertion(claims: object = {}, header: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { iss: key.client_email, scope, aud: tokenUri, iat: seconds, exp: seconds + 3600, ...claims };
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: key.private_key_id, ...header })}.${part(payload)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key.private_key, 'base64url')}`;
}

function ask(form: Record<string, string>) {
  const body = Buffer.from(new URLSearchParams(form).toString());
  const { status, body: answer } = answerToken({ body } as ApiRequest, identities, tokenUri, now);
  return { status, ...(answer as { readonly error?: string; readonly error_description?: string }) };
}

const askWith = (jwt: string) => ask({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: jwt });

test('an assertion of an account with its key, for this endpoint and a known scope, gives a token', () => {
  expect(askWith(assertion())).toMatchObject({ status: 200, expires_in: 3599, token_type: 'Bearer' });
});

test.each<[string, () => string, string, RegExp]>([
  ['a flipped bit of the signature', () => flipped(assertion()), 'invalid_grant', /Invalid JWT Signature/],
  ['another claim under the old signature', () => forged(assertion()), 'invalid_grant', /Invalid JWT Signature/],
  ['an unknown key id', () => assertion({}, { kid: 'ff' }), 'invalid_grant', /Invalid JWT Signature/],
  ['no algorithm', () => assertion({}, { alg: 'none' }), 'invalid_grant', /Invalid JWT Signature/],
  ['an unknown account', () => assertion({ iss: 'x@y.iam.gserviceaccount.com' }), 'invalid_grant', /account not found/],
  ['another audience', () => assertion({ aud: 'https://oauth2.googleapis.com/token' }), 'invalid_grant', /audience/],
  [
    'a date in the future',
    () => assertion({ iat: seconds + 600, exp: seconds + 4200 }),
    'invalid_grant',
    /iat and exp/,
  ],
  ['a date long past', () => assertion({ iat: seconds - 7200, exp: seconds - 3600 }), 'invalid_grant', /iat and exp/],
  ['more than an hour', () => assertion({ exp: seconds + 3700 }), 'invalid_grant', /short-lived/],
  ['no scope', () => assertion({ scope: '' }), 'invalid_scope', /scope/],
  ['no assertion', () => '', 'invalid_grant', /account not found/],
])('refuses %s', (_title, jwt, error, description) => {
  const answer = askWith(jwt());
  expect(answer).toMatchObject({ status: 400, error });
  expect(answer.error_description).toMatch(description);
});

test('the login of a person is renewed by its own refresh token and client', () => {
  const { client_id, client_secret, refresh_token } = identities.newUser('test-project', tokenUri);
  const form = { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
  expect(ask(form)).toMatchObject({ status: 200 });
  expect(ask({ ...form, refresh_token: 'x' })).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(ask({ ...form, client_secret: 'x' })).toMatchObject({ status: 401, error: 'invalid_client' });
  expect(ask({ grant_type: 'password' })).toMatchObject({ status: 400, error: 'unsupported_grant_type' });
});

function flipped(jwt: string): string {
  const [head, payload, signature = ''] = jwt.split('.');
  const octets = Buffer.from(signature, 'base64url');
  octets[17] = (octets[17] as number) ^ 1;
  return `${head}.${payload}.${octets.toString('base64url')}`;
}

function forged(jwt: string): string {
  const [head, , signature] = jwt.split('.');
  return `${head}.${assertion({ scope: 'https://www.googleapis.com/auth/cloud-platform' }).split('.')[1]}.${signature}`;
}
