import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';

/**
 * What becomes of a signature of this algorithm here (registry "DNS Security Algorithm Numbers"):
 *
 *   verified  8, 10, 13, 14, 15, 16
 *   old       made with MD5, SHA-1 or DSA; a validator treats zones that have nothing newer as unsigned (RFC 9905 2)
 *   unknown   every other number; treated in the same way (RFC 4035 5.2)
 */
export function standingOf(algorithm: number): 'verified' | 'old' | 'unknown' {
  if (verifiers.has(algorithm)) return 'verified';
  return oldNames.has(algorithm) ? 'old' : 'unknown';
}

/** `algorithm 13 (ECDSAP256SHA256)`. */
export function algorithmText(algorithm: number): string {
  const name = verifiers.get(algorithm)?.name ?? oldNames.get(algorithm);
  return name === undefined ? `algorithm ${algorithm}` : `algorithm ${algorithm} (${name})`;
}

/**
 * Whether the holder of `publicKey`, in the form of a DNSKEY record, signed `octets`; `bad-key` when that is no key of
 * its algorithm. For algorithms that are `verified` only. The sizes of keys are bounded, and with them the work.
 */
export function verifySignature(
  algorithm: number,
  publicKey: Uint8Array,
  octets: Uint8Array,
  signature: Uint8Array,
): boolean | 'bad-key' {
  const verifier = verifiers.get(algorithm);
  const jwk = verifier?.toJwk(Buffer.from(publicKey));
  const key = jwk && importKey(jwk);
  if (verifier === undefined || key === undefined) return 'bad-key';
  try {
    return verify(verifier.hash, octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false; // a signature of a length that the key cannot have made
  }
}

interface Verifier {
  readonly name: string;
  /** Null where the algorithm hashes for itself. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
  toJwk(publicKey: Buffer): JsonWebKey | undefined;
}

const verifiers: ReadonlyMap<number, Verifier> = new Map([
  [8, { name: 'RSASHA256', hash: 'sha256', toJwk: rsaKey }],
  [10, { name: 'RSASHA512', hash: 'sha512', toJwk: rsaKey }],
  [13, { name: 'ECDSAP256SHA256', hash: 'sha256', toJwk: (key: Buffer) => pointKey('P-256', 32, key) }],
  [14, { name: 'ECDSAP384SHA384', hash: 'sha384', toJwk: (key: Buffer) => pointKey('P-384', 48, key) }],
  [15, { name: 'ED25519', hash: null, toJwk: (key: Buffer) => edwardsKey('Ed25519', 32, key) }],
  [16, { name: 'ED448', hash: null, toJwk: (key: Buffer) => edwardsKey('Ed448', 57, key) }],
]);

const oldNames: ReadonlyMap<number, string> = new Map([
  [1, 'RSAMD5'],
  [3, 'DSA'],
  [5, 'RSASHA1'],
  [6, 'DSA-NSEC3-SHA1'],
  [7, 'RSASHA1-NSEC3-SHA1'],
]);

/** RFC 3110 2. Moduli of 512 to 4096 bits (RFC 5702 2) and exponents of at most 64, as OpenSSL has it for large keys. */
function rsaKey(key: Buffer): JsonWebKey | undefined {
  const long = key[0] === 0;
  const exponentLength = long && key.length > 2 ? key.readUInt16BE(1) : (key[0] ?? 0);
  const start = long ? 3 : 1;
  const exponent = withoutZeros(key.subarray(start, start + exponentLength));
  const modulus = withoutZeros(key.subarray(start + exponentLength));
  if (exponent.length === 0 || exponent.length > 8 || modulus.length < 64 || modulus.length > 512) return undefined;
  return { kty: 'RSA', e: exponent.toString('base64url'), n: modulus.toString('base64url') };
}

/** RFC 6605 4: the two coordinates. */
function pointKey(crv: string, size: number, key: Buffer): JsonWebKey | undefined {
  if (key.length !== 2 * size) return undefined;
  return {
    kty: 'EC',
    crv,
    x: key.subarray(0, size).toString('base64url'),
    y: key.subarray(size).toString('base64url'),
  };
}

/** RFC 8080 3. */
function edwardsKey(crv: string, size: number, key: Buffer): JsonWebKey | undefined {
  return key.length === size ? { kty: 'OKP', crv, x: key.toString('base64url') } : undefined;
}

/** Undefined for a point that is not on its curve and the like. */
function importKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function withoutZeros(octets: Buffer): Buffer {
  let zeros = 0;
  while (octets[zeros] === 0) zeros++;
  return octets.subarray(zeros);
}
