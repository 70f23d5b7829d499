import { type AccountKey, AccountKeyError } from './account-key.ts';

/** External account binding: what the CA gave out for tying ACME accounts to its customer. */
export interface ExternalAccount {
  readonly keyId: string;
  /** The MAC key itself, already decoded from the base64url form that CAs show. */
  readonly hmacKey: Uint8Array;
}

/**
 * A request body (RFC 8555 6.2): flattened JWS over `payload`, with `kid` where the account is known and else `jwk`.
 * @param payload `''` makes a POST-as-GET (RFC 8555 6.3)
 */
export function signRequest(
  key: AccountKey,
  protectedHeader: { readonly url: string; readonly nonce: string; readonly kid?: string },
  payload: string,
): string {
  const { url, nonce, kid } = protectedHeader;
  const header = { alg: key.algorithm, ...(kid === undefined ? { jwk: key.jwk } : { kid }), nonce, url };
  const encodedHeader = base64url(JSON.stringify(header));
  const encodedPayload = base64url(payload);
  const signature = Buffer.from(key.sign(`${encodedHeader}.${encodedPayload}`)).toString('base64url');
  return `{"protected":"${encodedHeader}","payload":"${encodedPayload}","signature":"${signature}"}`;
}

/**
 * The `externalAccountBinding` member (RFC 8555 7.3.4): the account's public key, MACed with the CA's key. HS256,
 * `url` as in the outer JWS, no nonce.
 * @throws AccountKeyError when the HMAC key is empty
 */
export async function bindExternalAccount(
  key: AccountKey,
  external: ExternalAccount,
  newAccountUrl: string,
): Promise<object> {
  if (external.hmacKey.length === 0) {
    throw new AccountKeyError(
      `The HMAC key of the external account binding "${external.keyId}" is empty; take it from the CA's account page.`,
    );
  }
  const { FlattenedSign } = await import('jose/jws/flattened/sign');
  return new FlattenedSign(Buffer.from(JSON.stringify(key.jwk)))
    .setProtectedHeader({ alg: 'HS256', kid: external.keyId, url: newAccountUrl })
    .sign(external.hmacKey);
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
