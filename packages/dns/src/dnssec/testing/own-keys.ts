import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type DnskeyData, type DnsRecord, keyTag, type RrsigData, type SignedRrset, toDnsName } from '@zoneproof/dns';
import { signedOctets } from '../canonical.ts';
import { signedAt } from './answers.ts';

const zone = toDnsName('z.test');
const day = 86_400_000;

export interface OwnKey {
  readonly dnskey: DnskeyData;
  readonly secret: KeyObject;
}

/** An ED25519 key, for one index the same in every run. */
export function ownKey(index: number): OwnKey {
  const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
  const seed = createHash('sha256').update(`key ${index}`).digest();
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = Buffer.from(createPublicKey(secret).export({ format: 'jwk' }).x ?? '', 'base64url');
  return { secret, dnskey: { flags: 257, protocol: 3, algorithm: 15, publicKey } };
}

/** Signs an RRset of `z.test`, a TXT record when it is empty, from a day before `signedAt` to so many days after. */
export function signedBy(
  rrset: SignedRrset,
  by: readonly { readonly key: OwnKey; readonly days: number }[],
): SignedRrset {
  const records: readonly DnsRecord[] =
    rrset.records.length > 0 ? rrset.records : [{ name: zone, type: 'TXT', ttl: 60, data: ['x'] }];
  const signatures = by.map(({ key, days }) => {
    const fields: RrsigData = {
      typeCovered: rrset.type,
      algorithm: 15,
      labels: 2,
      originalTtl: 60,
      expiration: (signedAt + days * day) / 1000,
      inception: (signedAt - day) / 1000,
      keyTag: keyTag(key.dnskey),
      signer: zone,
      signature: new Uint8Array(0),
    };
    const octets = signedOctets({ ...rrset, records }, fields) as Uint8Array;
    return { ...fields, signature: sign(null, octets, key.secret) };
  });
  return { ...rrset, records, signatures };
}
