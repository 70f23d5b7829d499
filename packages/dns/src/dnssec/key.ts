import { createHash } from 'node:crypto';
import type { DnskeyData, DsData } from '../message.ts';
import type { DnsName } from '../name.ts';
import { writeDnskey } from '../rdata-security.ts';
import { WireWriter } from '../wire-writer.ts';

/** The keys of a zone that have been found sound. */
export interface ZoneKeys {
  readonly zone: DnsName;
  readonly keys: readonly DnskeyData[];
}

/** The sum that DS and RRSIG records name a key by (RFC 4034 appendix B). Different keys may have the same. */
export function keyTag(key: DnskeyData): number {
  let sum = 0;
  for (const [index, octet] of rdataOf(key).entries()) sum += index % 2 === 0 ? octet << 8 : octet;
  return (sum + (sum >>> 16)) & 0xffff;
}

/**
 * Why a key cannot sign records of its zone, or undefined when it can: RFC 4034 2.1.1 and 2.1.2, RFC 5011 2.1. The
 * SEP flag tells people which key to make a DS record of; it decides nothing.
 */
export function keyProblem(key: DnskeyData): string | undefined {
  if ((key.flags & 0x0100) === 0) return 'has no zone key flag';
  if ((key.flags & 0x0080) !== 0) return 'is revoked';
  return key.protocol === 3 ? undefined : `is of protocol ${key.protocol} instead of 3`;
}

/** The digest of a key for a DS record (RFC 4034 5.1.4); undefined for a digest type that is not computed here. */
export function dsDigest(zone: DnsName, key: DnskeyData, digestType: number): Uint8Array | undefined {
  const hash = digestHashes.get(digestType);
  if (hash === undefined) return undefined;
  const owner = new WireWriter();
  owner.name(zone);
  return createHash(hash).update(owner.finish()).update(rdataOf(key)).digest();
}

export function isKnownDigest({ digestType }: DsData): boolean {
  return digestHashes.has(digestType);
}

/** RFC 4034, RFC 4509, RFC 6605. */
const digestHashes: ReadonlyMap<number, string> = new Map([
  [1, 'sha1'],
  [2, 'sha256'],
  [4, 'sha384'],
]);

function rdataOf(key: DnskeyData): Uint8Array {
  const writer = new WireWriter();
  writeDnskey(key, writer);
  return writer.finish();
}
