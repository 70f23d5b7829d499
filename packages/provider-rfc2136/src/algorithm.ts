import type { TsigAlgorithm } from '@zoneproof/dns';

/** The spellings of an Issuer and the names that go over the wire (RFC 8945 section 6). */
const algorithms = {
  HMACMD5: 'hmac-md5.sig-alg.reg.int',
  HMACSHA1: 'hmac-sha1',
  HMACSHA224: 'hmac-sha224',
  HMACSHA256: 'hmac-sha256',
  HMACSHA384: 'hmac-sha384',
  HMACSHA512: 'hmac-sha512',
} as const satisfies Record<string, TsigAlgorithm>;

export const defaultAlgorithm: keyof typeof algorithms = 'HMACSHA256';

/** `HMACSHA256`, `hmac-sha256`, `Hmac-SHA256.` -> `hmac-sha256`; undefined for any other word. */
export function findAlgorithm(text: string): TsigAlgorithm | undefined {
  const word = text.toLowerCase().replace(/\.$/, '');
  for (const [spelling, name] of Object.entries(algorithms))
    if (word === name || word.replace('-', '') === spelling.toLowerCase()) return name;
  return undefined;
}

/** True for those that RFC 8945 section 6 says not to use. */
export function isWeak(algorithm: TsigAlgorithm): boolean {
  return algorithm === algorithms.HMACMD5 || algorithm === algorithms.HMACSHA1;
}

export function algorithmProblem(text: string): string {
  return `"${text}" is no TSIG algorithm; take one of ${Object.keys(algorithms).join(', ')} (or hmac-sha256 and the like)`;
}
