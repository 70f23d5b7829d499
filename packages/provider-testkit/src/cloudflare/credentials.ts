import { timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from '../emulator/index.ts';
import { Refusal } from './answers.ts';

/** Permission groups of API tokens: https://developers.cloudflare.com/fundamentals/api/reference/permissions/ */
export type CloudflarePermission = 'Zone:Zone:Read' | 'Zone:DNS:Read' | 'Zone:DNS:Edit';

/** Who may call the API: a user with a Global API Key, and an API token with permissions of its own. */
export interface Credentials {
  readonly email: string;
  readonly apiKey: string;
  readonly apiToken: string;
  /** Epoch milliseconds; the token is refused from then on. */
  tokenExpiresAt: number;
  /** Of the token; a Global API Key may do what its user may, which is everything. */
  readonly permissions: Set<CloudflarePermission>;
}

/**
 * Tells whether the caller has a permission.
 *
 * https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/ and
 * https://developers.cloudflare.com/fundamentals/api/get-started/keys/ (both schemes of headers)
 *
 * @throws Refusal when the headers name nobody
 */
export function authenticate(
  { headers }: ApiRequest,
  credentials: Credentials,
  now: number,
): (permission: CloudflarePermission) => boolean {
  const { authorization, 'x-auth-email': email, 'x-auth-key': key } = headers;
  // assumed: credentials of both schemes in one request are an error, so that a client which sends all it finds shows.
  if (authorization !== undefined && (email !== undefined || key !== undefined))
    throw invalidHeaders(6111, 'Invalid format for Authorization header');
  if (authorization !== undefined) {
    checkToken(authorization, credentials, now);
    return (permission) =>
      credentials.permissions.has(permission) ||
      (permission === 'Zone:DNS:Read' && credentials.permissions.has('Zone:DNS:Edit'));
  }
  if (email === undefined || key === undefined)
    throw new Refusal(400, 9106, 'Missing X-Auth-Key, X-Auth-Email or Authorization headers');
  if (!/^\S+@\S+$/.test(email)) throw invalidHeaders(6102, 'Invalid format for X-Auth-Email header');
  if (!/^(?:[0-9a-f]{37}|cfk_\w{40,})$/.test(key)) throw invalidHeaders(6103, 'Invalid format for X-Auth-Key header');
  if (email !== credentials.email || !isSame(key, credentials.apiKey))
    throw new Refusal(403, 9103, 'Unknown X-Auth-Key or X-Auth-Email');
  return () => true;
}

function checkToken(authorization: string, { apiToken, tokenExpiresAt }: Credentials, now: number): void {
  const [, token] = /^Bearer ((?:cf[ua]t_)?[\w-]{40,})$/.exec(authorization) ?? [];
  if (token === undefined) throw invalidHeaders(6111, 'Invalid format for Authorization header');
  // assumed: an expired token is answered like one that never was.
  if (!isSame(token, apiToken) || now >= tokenExpiresAt) throw new Refusal(403, 9109, 'Invalid access token');
}

function invalidHeaders(code: number, message: string): Refusal {
  return new Refusal(400, 6003, 'Invalid request headers', { code, message });
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
