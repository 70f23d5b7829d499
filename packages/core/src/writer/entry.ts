import { createHash } from 'node:crypto';
import type { DnsName } from '@zoneproof/dns';
import type { LedgerEntry } from './ledger.ts';
import type { WaitingRecord } from './queue.ts';
import type { WriteRequest } from './writer.ts';

/** The same for the same (owner, account, zone, name, value). */
export function ledgerId(request: WriteRequest, record: { readonly name: DnsName; readonly value: string }): string {
  const parts = [request.owner, request.provider.account, request.zone.id, record.name, record.value];
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 22);
}

/** The entry that stands for one record of a request, intended at `now`. */
export function ledgerEntry(record: WaitingRecord, now: number): LedgerEntry {
  const { owner, provider, zone } = record.waiter.request;
  return {
    id: ledgerId(record.waiter.request, record),
    owner,
    provider: provider.block,
    account: provider.account,
    zone: { id: zone.id, name: zone.name },
    name: record.name,
    value: record.value,
    ttl: provider.capabilities.ttl.default,
    since: now,
  };
}
