import { verify } from 'node:crypto';
import type { ApiAnswer, ApiRequest } from '../emulator/index.ts';
import { forbidden, unauthenticated } from './answers.ts';
import type { Identities } from './identities.ts';

export const dnsScope = 'https://www.googleapis.com/auth/ndev.clouddns.readwrite';
const cloudScope = 'https://www.googleapis.com/auth/cloud-platform';
const knownScopes = new Set([dnsScope, cloudScope]);
const lifetimeSeconds = 3_599;
// assumed: how far a clock may be off; Google says "in a reasonable timeframe"
const leewaySeconds = 300;

/** `POST /token`: https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
export function answerToken(request: ApiRequest, identities: Identities, tokenUri: string, now: number): ApiAnswer {
  const form = new URLSearchParams(request.body.toString('utf8'));
  switch (form.get('grant_type')) {
    case 'urn:ietf:params:oauth:grant-type:jwt-bearer':
      return answerAssertion(form.get('assertion') ?? '', identities, tokenUri, now);
    case 'refresh_token': {
      const user = identities.users.find(({ refresh_token }) => refresh_token === form.get('refresh_token'));
      if (user === undefined) return refusal('invalid_grant', 'Token has been expired or revoked.');
      if (form.get('client_id') !== user.client_id || form.get('client_secret') !== user.client_secret)
        return refusal('invalid_client', 'Unauthorized', 401);
      return token(identities, [cloudScope], now);
    }
    default:
      return refusal('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`);
  }
}

/** `POST /v1/token`: https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
export function answerExchange(request: ApiRequest, identities: Identities, now: number): ApiAnswer {
  const form = new URLSearchParams(request.body.toString('utf8'));
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:token-exchange')
    return refusal('unsupported_grant_type', 'Unsupported grant type');
  if (!/^\/\/iam\.googleapis\.com\/projects\/\d+\//.test(form.get('audience') ?? ''))
    return refusal('invalid_request', 'Invalid value for "audience".');
  if (!identities.subjectTokens.has(form.get('subject_token') ?? ''))
    return refusal('invalid_grant', 'The given credential is rejected by the attribute condition.');
  return token(identities, scopesIn(form.get('scope') ?? ''), now);
}

/** `:generateAccessToken`: https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
export function answerImpersonation(request: ApiRequest, identities: Identities, now: number): ApiAnswer {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (identities.scopesOf(bearer, now) === undefined) return unauthenticated('authError');
  const email = /serviceAccounts\/([^/]+):generateAccessToken$/.exec(decodeURIComponent(request.path))?.[1] ?? '';
  if (!identities.accounts.has(email)) return forbidden();
  const { scope } = JSON.parse(request.body.toString('utf8')) as { readonly scope: readonly string[] };
  const expireTime = new Date(now + lifetimeSeconds * 1000).toISOString();
  return { status: 200, body: { accessToken: identities.issue(scope, Date.parse(expireTime)), expireTime } };
}

/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
export function answerMetadata(request: ApiRequest, identities: Identities, now: number): ApiAnswer {
  if (request.headers['metadata-flavor'] !== 'Google') return { status: 403, body: 'Forbidden' };
  const answer = token(identities, [cloudScope], now);
  return { ...answer, headers: { 'metadata-flavor': 'Google', server: 'Metadata Server for VM' } };
}

function answerAssertion(assertion: string, identities: Identities, tokenUri: string, now: number): ApiAnswer {
  const [head = '', payload = '', signature = ''] = assertion.split('.');
  const header = json(head);
  const claims = json(payload);
  const account = identities.accounts.get(String(claims.iss));
  if (account === undefined) return refusal('invalid_grant', 'Invalid grant: account not found');
  const key = account.keys.get(String(header.kid));
  const signed = Buffer.from(`${head}.${payload}`);
  if (!key || header.alg !== 'RS256' || !verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')))
    return refusal('invalid_grant', 'Invalid JWT Signature.');
  if (claims.aud !== tokenUri) return refusal('invalid_grant', 'Invalid JWT: Failed audience check.');
  const [iat, exp, seconds] = [Number(claims.iat), Number(claims.exp), now / 1000];
  if (!(exp - iat <= 3_600 && iat <= seconds + leewaySeconds && exp > seconds - leewaySeconds))
    return refusal(
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  const scopes = scopesIn(String(claims.scope ?? ''));
  if (scopes.length === 0 || !scopes.every((scope) => knownScopes.has(scope)))
    return refusal('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
  return token(identities, scopes, now);
}

function token(identities: Identities, scopes: readonly string[], now: number): ApiAnswer {
  const access_token = identities.issue(scopes, now + lifetimeSeconds * 1000);
  return { status: 200, body: { access_token, expires_in: lifetimeSeconds, token_type: 'Bearer' } };
}

function refusal(error: string, error_description: string, status = 400): ApiAnswer {
  return { status, body: { error, error_description } };
}

function scopesIn(text: string): readonly string[] {
  return text.split(' ').filter((scope) => scope !== '');
}

function json(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
