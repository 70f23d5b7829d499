import type { DnsName } from '@zoneproof/dns';
import { ProviderError } from '../contract/index.ts';
import type { BatchServices } from './batch.ts';
import { ledgerEntry, ledgerId } from './entry.ts';
import type { Group } from './group.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { WaitingRecord } from './queue.ts';

/**
 * Stores, in one call, the intents of a batch: before anything is sent. `admitted` are the entries that the slots of
 * a name ask for. Records whose intent could not be stored are settled as failed.
 */
export async function recordIntents(
  records: readonly WaitingRecord[],
  heldBefore: ReadonlyMap<DnsName, readonly LedgerEntry[]>,
  admitted: readonly LedgerEntry[],
  { ledger, clock, retryTimes }: BatchServices,
): Promise<void> {
  const entries = new Map(admitted.map((entry) => [entry.id, entry]));
  for (const record of records) {
    if (record.waiter.request.state === 'absent') continue;
    const entry = ledgerEntry(record, clock.now());
    const known = entries.get(entry.id) ?? heldBefore.get(record.name)?.find((other) => other.id === entry.id);
    if (known === undefined) entries.set(entry.id, entry);
    // The block may have changed since: what cleans up later has to use the newer one.
    else if (JSON.stringify(known.provider) !== JSON.stringify(entry.provider))
      entries.set(entry.id, { ...known, provider: entry.provider });
  }
  if (entries.size === 0) return;

  const refused = await recordPerOwner(ledger, [...entries.values()]);
  for (const record of records) {
    const cause = refused.get(record.waiter.request.owner);
    if (cause === undefined || record.waiter.request.state === 'absent') continue;
    const { provider, zone } = record.waiter.request;
    const error = new ProviderError({
      kind: 'unavailable',
      message: `${provider.displayName}: nothing was written to zone ${zone.name}, since the intent could not be stored (${shortReason(cause)})`,
      cause,
    });
    record.waiter.settle(record, { status: 'failed', error, retryAt: retryTimes.shortlyAfter(clock.now()) });
  }
}

/** One call for all; when it is refused, one for each owner, so that a deleted Order does not hold up the others. */
async function recordPerOwner(ledger: Ledger, entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, unknown>> {
  const refused = new Map<string, unknown>();
  const owners = [...new Set(entries.map((entry) => entry.owner))];
  try {
    await ledger.record(entries);
  } catch (error) {
    for (const owner of owners) {
      try {
        if (owners.length === 1) throw error;
        await ledger.record(entries.filter((entry) => entry.owner === owner));
      } catch (cause) {
        refused.set(owner, cause);
      }
    }
  }
  return refused;
}

/** Crosses out, in one call, what is confirmed to be gone or still wanted by another owner. */
export async function crossOut(
  groups: readonly Group[],
  { ledger, clock, slots, retryTimes }: BatchServices,
): Promise<void> {
  const records = groups.flatMap((one) => one.records);
  if (records.length === 0) return;
  try {
    // Also of records whose caller has stopped waiting: the value is gone all the same.
    await ledger.settle([...new Set(records.map((record) => ledgerId(record.waiter.request, record)))]);
  } catch (cause) {
    const error = new ProviderError({
      kind: 'unavailable',
      message: `the values are removed, but that could not be stored (${shortReason(cause)})`,
      cause,
    });
    for (const record of records)
      record.waiter.settle(record, { status: 'failed', error, retryAt: retryTimes.shortlyAfter(clock.now()) });
    return;
  }
  for (const record of records) if (record.waiter.request.provider.capabilities.model === 'slots') slots.freed(record);
}

function shortReason(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}
