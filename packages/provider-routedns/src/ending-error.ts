import { oneLine, ProviderError, type Zone } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { FailedEnding } from './apply.ts';
import { mostWrites } from './ladder.ts';
import { toWireName } from './wire-names.ts';

/** Why the values at a name could not be written. Pure. */
export function endingError(ending: FailedEnding, name: DnsName, zone: Zone, providerName: string): ProviderError {
  const at = `${providerName}: ${name} in zone ${zone.name} (${zone.id})`;
  switch (ending.kind) {
    case 'unsettled':
      return new ProviderError({
        kind: 'conflict',
        message: `${at} is not settled after ${mostWrites} requests, which Route 53 refused for what stands here or at other names. It is tried again.`,
      });
    case 'conflict':
      return new ProviderError({
        kind: 'conflict',
        message:
          ending.unclear === undefined
            ? `${at} was written by somebody else meanwhile. It is read and written again.`
            : `${at}: what fits the records as they were just read was refused${quoted(ending.unclear)}. It is read and written again.`,
        vendorCode: 'InvalidChangeBatch',
      });
    case 'unreadable': {
      const { kind, details } = ending.error;
      if (kind !== 'permission') return ending.error;
      const { vendorCode, requestId } = details;
      const seen =
        ending.unclear === undefined
          ? 'has TXT records that are not as zoneproof left them: values of others, or another TTL'
          : `could not be written, and it is not clear why${quoted(ending.unclear)}`;
      return new ProviderError({
        kind,
        message: `${at} ${seen}. The credentials may not read what stands there (route53:ListResourceRecordSets on hostedzone/${zone.id}), so nothing was changed. Allow that action ("zoneproof policy routedns --merge" prints the policy), or remove the TXT records at ${toWireName(name)} that nobody needs.`,
        ...(vendorCode !== undefined && { vendorCode }),
        ...(requestId !== undefined && { requestId }),
      });
    }
    case 'outside':
      return new ProviderError({
        kind: 'zone-not-found',
        message: `${providerName}: hosted zone ${zone.id} does not hold ${name}${quoted(ending.text)}. Check hostedZoneID.`,
        vendorCode: 'InvalidChangeBatch',
      });
    case 'blocked':
      return new ProviderError({
        kind: 'invalid',
        message: `${at}: no TXT value can be added${quoted(ending.text)}. Remove what stands there, or lead _acme-challenge to another name by a CNAME.`,
      });
  }
}

function quoted(text: string): string {
  return ` (${oneLine(text).replace(/^\[|[.\s\]]+$/g, '')})`;
}
