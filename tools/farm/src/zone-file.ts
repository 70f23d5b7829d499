import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { createTsigKey, type TsigAlgorithm, type TsigKey, toDnsName } from '@zoneproof/dns';

export interface FarmZone {
  readonly name: string;
  /** Lines of a zone file after SOA, NS and glue: `sub NS ns1.sub`, `_acme-challenge CNAME x.other.test.`. */
  readonly records?: readonly string[];
  /** Keys that may update the zone; all keys of the server when left out, none with `[]`. */
  readonly keys?: readonly TsigKey[];
  /** Addresses that may update without TSIG. */
  readonly updateFrom?: readonly string[];
  /** A whole zone file instead of one made from `records`, as `signZone` writes it. */
  readonly file?: string;
}

/** A key with a random secret of 32 octets. */
export function newTsigKey(name: string, algorithm: TsigAlgorithm = 'hmac-sha256'): TsigKey {
  return createTsigKey({ name: toDnsName(name), algorithm, secret: randomBytes(32) });
}

/** The name that configuration files use: without `.sig-alg.reg.int`. */
export function algorithmWord(key: TsigKey): string {
  return key.algorithm.replace(/\.sig-alg\.reg\.int\.?$/, '');
}

export function secretBase64(key: TsigKey): string {
  return Buffer.from(key.secret).toString('base64');
}

/**
 * A zone with one authoritative server, `ns1` at `address`, so that the self check finds it as it does in production.
 * Negative answers live for 1 s.
 */
export function zoneFile(zone: FarmZone, address: string): string {
  if (zone.file !== undefined) return zone.file;
  const glueType = address.includes(':') ? 'AAAA' : 'A';
  return [
    `$ORIGIN ${zone.name}.`,
    '$TTL 60',
    '@ SOA ns1 hostmaster 1 3600 600 86400 1',
    '@ NS ns1',
    `ns1 ${glueType} ${address}`,
    ...(zone.records ?? []),
    '',
  ].join('\n');
}

/** Resolves when the server at `address:port` answers for every zone, rejects when it does not. */
export async function answersFor(zones: readonly FarmZone[], address: string, port: number): Promise<void> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`]);
  try {
    for (const zone of zones) await resolver.resolveSoa(zone.name);
  } finally {
    resolver.cancel();
  }
}
