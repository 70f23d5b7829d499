import {
  type CryptoKey,
  calculateJwkThumbprint,
  decodeProtectedHeader,
  errors,
  type FlattenedJWS,
  flattenedVerify,
  importJWK,
  type JWK,
} from 'jose';
import type { Nonces } from './nonces.ts';
import { Problem } from './problem.ts';

export const signatureAlgorithms: readonly string[] = ['ES256', 'ES384', 'RS256'];

/** A public key of an account. The thumbprint (RFC 7638) tells keys apart. */
export interface PublicKey {
  readonly jwk: JWK;
  readonly thumbprint: string;
  readonly verify: CryptoKey;
}

/** What the CA must know to judge a request. `findKey` gives the key of an account URL, or throws a Problem. */
export interface JwsRules {
  readonly url: string;
  readonly nonces: Nonces;
  readonly keyKind: 'jwk' | 'kid';
  findKey(accountUrl: string): PublicKey;
}

/** A request whose signature, nonce and URL are good. `payload` is `undefined` for POST-as-GET, else parsed JSON. */
export interface VerifiedRequest {
  readonly key: PublicKey;
  readonly accountUrl?: string;
  readonly payload: unknown;
}

/**
 * Verifies one ACME request (RFC 8555 6.2 to 6.5).
 *
 * @throws Problem malformed, badSignatureAlgorithm, badPublicKey, badNonce, unauthorized, accountDoesNotExist
 */
export async function verifyRequest(body: string, rules: JwsRules): Promise<VerifiedRequest> {
  const jws = readFlattened(body);
  const header = readHeader(jws);
  if (typeof header.alg !== 'string' || !signatureAlgorithms.includes(header.alg)) throw badAlgorithm(header.alg);
  const accountUrl = header.kid;
  if ((header.jwk === undefined) === (accountUrl === undefined))
    throw malformed('the protected header must have exactly one of "jwk" and "kid" (RFC 8555 6.2)');
  if ((rules.keyKind === 'jwk') !== (header.jwk !== undefined))
    throw malformed(`this resource takes "${rules.keyKind}" in the protected header (RFC 8555 6.2)`);
  const key = header.jwk ? await readPublicKey(header.jwk, header.alg) : rules.findKey(String(accountUrl));

  const payload = await verifiedPayload(jws, key.verify, [header.alg]);
  if (typeof header.nonce !== 'string' || !/^[\w-]+$/.test(header.nonce))
    throw new Problem('badNonce', 'the protected header has no base64url "nonce"');
  if (!rules.nonces.redeem(header.nonce)) throw new Problem('badNonce', 'the nonce is unknown, used, or was refused');
  if (header.url !== rules.url)
    throw new Problem(
      'unauthorized',
      `the protected header has url ${JSON.stringify(header.url)}, the request went to ${rules.url}`,
    );
  return { key, payload, ...(accountUrl !== undefined && { accountUrl: String(accountUrl) }) };
}

/**
 * Verifies an external account binding (RFC 8555 7.3.4) and returns its key id.
 *
 * @throws Problem unauthorized, malformed
 */
export async function verifyBinding(
  binding: unknown,
  rules: { readonly url: string; readonly key: PublicKey; readonly hmacKeys: Readonly<Record<string, Uint8Array>> },
): Promise<string> {
  const jws = asFlattened(binding);
  const header = readHeader(jws);
  if (header.alg !== 'HS256') throw badAlgorithm(header.alg, ['HS256']);
  if (header.nonce !== undefined) throw malformed('the external account binding must have no nonce (RFC 8555 7.3.4)');
  if (header.url !== rules.url) throw malformed('the external account binding is for another url');
  const hmacKey = rules.hmacKeys[String(header.kid)];
  if (hmacKey === undefined)
    throw new Problem('unauthorized', `no external account has the key id ${JSON.stringify(header.kid)}`);
  const jwk = await verifiedPayload(jws, hmacKey, ['HS256']).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem('unauthorized', `external account binding: ${error.message}`) : error;
  });
  const bound = isObject(jwk) ? await calculateJwkThumbprint(jwk as JWK).catch(() => undefined) : undefined;
  if (bound !== rules.key.thumbprint)
    throw new Problem('unauthorized', 'the external account binding is for another account key');
  return String(header.kid);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Header {
  readonly alg?: unknown;
  readonly jwk?: unknown;
  readonly kid?: unknown;
  readonly nonce?: unknown;
  readonly url?: unknown;
}

function readFlattened(body: string): FlattenedJWS {
  try {
    return asFlattened(JSON.parse(body));
  } catch (error) {
    throw error instanceof Problem ? error : malformed('the body is no JSON');
  }
}

function asFlattened(value: unknown): FlattenedJWS {
  if (!isObject(value)) throw malformed('the body is no flattened JWS (RFC 8555 6.2)');
  if ('header' in value || 'signatures' in value)
    throw malformed('unprotected headers and several signatures are not allowed (RFC 8555 6.2)');
  for (const member of ['protected', 'payload', 'signature'])
    if (typeof value[member] !== 'string' || !/^[\w-]*$/.test(value[member]))
      throw malformed(`the JWS has no "${member}" in base64url without padding`);
  return value as unknown as FlattenedJWS;
}

function readHeader(jws: FlattenedJWS): Header {
  try {
    return decodeProtectedHeader(jws) as Header;
  } catch {
    throw malformed('the protected header is no JSON object');
  }
}

async function readPublicKey(jwk: unknown, alg: string): Promise<PublicKey> {
  if (!isObject(jwk)) throw malformed('"jwk" is no object');
  if ('d' in jwk || 'k' in jwk) throw new Problem('badPublicKey', '"jwk" holds a private key');
  if (jwk.kty === 'RSA' && Buffer.from(String(jwk.n), 'base64url').length < 256)
    throw new Problem('badPublicKey', 'an RSA key must have 2048 bits or more');
  try {
    const verify = await importJWK(jwk as JWK, alg);
    if (verify instanceof Uint8Array) throw new Error('symmetric key');
    return { jwk: jwk as JWK, thumbprint: await calculateJwkThumbprint(jwk as JWK), verify };
  } catch {
    throw new Problem('badPublicKey', `"jwk" is no public key for ${alg}`);
  }
}

async function verifiedPayload(jws: FlattenedJWS, key: CryptoKey | Uint8Array, algorithms: string[]): Promise<unknown> {
  let octets: Uint8Array;
  try {
    octets = (await flattenedVerify(jws, key, { algorithms })).payload;
  } catch (error) {
    const bad = error instanceof errors.JWSSignatureVerificationFailed;
    throw malformed(bad ? 'the signature does not fit the key' : 'the JWS cannot be verified');
  }
  if (octets.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(octets).toString());
  } catch {
    throw malformed('the payload is no JSON');
  }
}

function badAlgorithm(alg: unknown, allowed = signatureAlgorithms): Problem {
  return new Problem('badSignatureAlgorithm', `the algorithm ${JSON.stringify(alg)} is not accepted here`, {
    members: { algorithms: allowed },
  });
}

const malformed = (detail: string): Problem => new Problem('malformed', detail);
