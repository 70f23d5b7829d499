import type { RecordTarget } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';

/** Where the value of a domain's challenge belongs when no CNAME leads elsewhere. */
export function targetOf(domain: string): RecordTarget {
  const challengeName = toDnsName(`_acme-challenge.${domain}`);
  return { domain: toDnsName(domain), challengeName, name: challengeName };
}
