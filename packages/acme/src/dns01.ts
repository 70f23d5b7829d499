import { createHash } from 'node:crypto';
import type { AccountKey } from './account-key.ts';
import type { Authorization, Challenge } from './resources.ts';

/** First label of the name at which a dns-01 value is published (RFC 8555 8.4). */
export const dns01Label = '_acme-challenge';

/** The TXT value of a dns-01 challenge: base64url(SHA-256(token "." thumbprint)), 43 characters (RFC 8555 8.1, 8.4). */
export function dns01Value(token: string, key: AccountKey): string {
  return createHash('sha256').update(`${token}.${key.thumbprint}`).digest('base64url');
}

/** The dns-01 challenge of an authorization, or undefined when the CA offers none. */
export function dns01Challenge(authorization: Authorization): (Challenge & { readonly token: string }) | undefined {
  return authorization.challenges.find(
    (challenge): challenge is Challenge & { readonly token: string } =>
      challenge.type === 'dns-01' && challenge.token !== undefined,
  );
}
