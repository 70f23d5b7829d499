import { createHmac } from 'node:crypto';
import type { DnsName } from './name.ts';

/** The names of RFC 8945 6 that Node can compute, weakest first. MD5 and SHA-1 are for servers that know no other. */
export const tsigAlgorithms = [
  'hmac-md5.sig-alg.reg.int',
  'hmac-sha1',
  'hmac-sha224',
  'hmac-sha256',
  'hmac-sha384',
  'hmac-sha512',
] as const;

export type TsigAlgorithm = (typeof tsigAlgorithms)[number];

export interface TsigKey {
  readonly name: DnsName;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

/** A key whose secret never prints: neither `inspect`, JSON, spreading nor `Object.keys` find it. */
export function createTsigKey(key: TsigKey): TsigKey {
  return new HiddenSecretKey(key);
}

class HiddenSecretKey implements TsigKey {
  readonly name: DnsName;
  readonly algorithm: TsigAlgorithm;
  readonly #secret: Uint8Array;

  constructor(key: TsigKey) {
    this.name = key.name;
    this.algorithm = key.algorithm;
    this.#secret = Uint8Array.from(key.secret);
  }

  get secret(): Uint8Array {
    return this.#secret;
  }
}

const hashes: Readonly<Record<TsigAlgorithm, { readonly hash: string; readonly octets: number }>> = {
  'hmac-md5.sig-alg.reg.int': { hash: 'md5', octets: 16 },
  'hmac-sha1': { hash: 'sha1', octets: 20 },
  'hmac-sha224': { hash: 'sha224', octets: 28 },
  'hmac-sha256': { hash: 'sha256', octets: 32 },
  'hmac-sha384': { hash: 'sha384', octets: 48 },
  'hmac-sha512': { hash: 'sha512', octets: 64 },
};

/** Octets of a full MAC. */
export function macLength(algorithm: TsigAlgorithm): number {
  return hashes[algorithm].octets;
}

export function computeMac(key: TsigKey, parts: readonly Uint8Array[]): Uint8Array {
  const hmac = createHmac(hashes[key.algorithm].hash, key.secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
