import { sign } from 'node:crypto';
import type { Credentials } from './access-tokens.ts';
import { type ServiceAccount, scope } from './service-account.ts';
import type { TokenRequests } from './token-requests.ts';

/** An assertion that Google exchanges for an access token; https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
export function signAssertion({ email, key, keyId, tokenUrl }: ServiceAccount, now: number): string {
  const iat = Math.floor(now / 1000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const claims = { iss: email, scope, aud: tokenUrl, iat, exp: iat + 3600 };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}

/** A service account that proves itself by its key. `id` tells it apart from others. */
export function serviceAccountCredentials(
  id: string,
  account: ServiceAccount,
  requests: TokenRequests,
  now: () => number,
): Credentials {
  return {
    id,
    exchange(call) {
      const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      const form = { grant_type, assertion: signAssertion(account, now()) };
      return requests.oauth(account.tokenUrl, form, 'the request for an access token', call);
    },
  };
}
