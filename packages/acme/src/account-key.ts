import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';

/** Members of a public JWK in the order RFC 7638 wants them. */
export type PublicJwk =
  | { readonly crv: 'P-256' | 'P-384'; readonly kty: 'EC'; readonly x: string; readonly y: string }
  | { readonly e: string; readonly kty: 'RSA'; readonly n: string };

/** The key of an ACME account. Printing it shows the thumbprint, never the private part. */
export interface AccountKey {
  /** JWS algorithm (RFC 7518): what the key can sign with. */
  readonly algorithm: 'ES256' | 'ES384' | 'RS256';
  readonly jwk: PublicJwk;
  /** RFC 7638, SHA-256, base64url: 43 characters. */
  readonly thumbprint: string;
  /** The signature as a JWS has it: r and s of fixed width side by side, never DER (RFC 7518 3.4). */
  sign(data: string): Uint8Array;
}

/** The text is no key that an ACME account can use. The message says what it is and what is wanted. */
export class AccountKeyError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AccountKeyError';
  }
}

/** A new P-256 key and its PKCS #8 PEM. */
export async function generateAccountKey(): Promise<{ readonly pem: string; readonly key: AccountKey }> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), key: await accountKeyOf(privateKey) };
}

/**
 * Reads an account key: EC P-256 or P-384 or RSA of 2048 to 4096 bits, as unencrypted PEM (PKCS #8, SEC1, PKCS #1).
 * @throws AccountKeyError
 */
export async function readAccountKey(pem: string): Promise<AccountKey> {
  const problem = pemProblem(pem);
  if (problem) throw new AccountKeyError(`The account key ${problem}.`);
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw new AccountKeyError('The account key is damaged: its PEM block holds no readable private key.', cause);
  }
  return accountKeyOf(key);
}

const wanted = 'an EC P-256 or P-384 or an RSA private key as unencrypted PEM';

function pemProblem(pem: string): string | undefined {
  if (pem.trim() === '') return `is empty; it has to be ${wanted}`;
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem)?.[1];
  if (label === undefined) return `has no PEM block; it has to be ${wanted}`;
  if (label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type:.*ENCRYPTED/m.test(pem)) {
    return 'is encrypted; store it without a passphrase';
  }
  // openssl ecparam writes a parameters block before the key.
  return /-----BEGIN (EC |RSA )?PRIVATE KEY-----/.test(pem) ? undefined : `is a ${label}; it has to be ${wanted}`;
}

async function accountKeyOf(key: KeyObject): Promise<AccountKey> {
  const algorithm = algorithmOf(key);
  const jwk = publicJwk(key);
  return new NodeAccountKey(key, algorithm, jwk, await calculateJwkThumbprint(jwk));
}

function algorithmOf(key: KeyObject): AccountKey['algorithm'] {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') {
    if (namedCurve === 'prime256v1') return 'ES256';
    if (namedCurve === 'secp384r1') return 'ES384';
    throw new AccountKeyError(`The account key is on the curve ${namedCurve}; ACME servers take P-256 and P-384.`);
  }
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength >= 2048 && modulusLength <= 4096) return 'RS256';
    throw new AccountKeyError(`The account key is RSA of ${modulusLength} bits; ACME servers take 2048 to 4096.`);
  }
  throw new AccountKeyError(`The account key is of type ${key.asymmetricKeyType}; it has to be ${wanted}.`);
}

function publicJwk(key: KeyObject): PublicJwk {
  const { kty, crv, x, y, e, n } = createPublicKey(key).export({ format: 'jwk' });
  return kty === 'EC' ? { crv: crv as 'P-256' | 'P-384', kty, x: x!, y: y! } : { e: e!, kty: 'RSA', n: n! };
}

class NodeAccountKey implements AccountKey {
  readonly algorithm: AccountKey['algorithm'];
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  readonly #key: KeyObject;

  constructor(key: KeyObject, algorithm: AccountKey['algorithm'], jwk: PublicJwk, thumbprint: string) {
    this.#key = key;
    this.algorithm = algorithm;
    this.jwk = jwk;
    this.thumbprint = thumbprint;
  }

  // node:crypto rather than jose: a third of its CPU for each of the ten or so requests of a certificate.
  sign(data: string): Uint8Array {
    const digest = this.algorithm === 'ES384' ? 'sha384' : 'sha256';
    return sign(digest, Buffer.from(data), { key: this.#key, dsaEncoding: 'ieee-p1363' });
  }

  toJSON(): object {
    return { algorithm: this.algorithm, thumbprint: this.thumbprint };
  }

  [inspect.custom](): string {
    return `AccountKey(${this.algorithm} ${this.thumbprint})`;
  }
}
