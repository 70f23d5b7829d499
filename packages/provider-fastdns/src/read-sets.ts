import { type CallContext, ProviderError } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Client } from './client.ts';
import { everyPage } from './pages.ts';
import type { TxtSet } from './record-set.ts';

/** Up to this many sets are asked for one by one; more of them from the list of all, which may be long. */
const fewNames = 2;
const pageSize = 1_000;

/** The TXT sets at `names`; those that are not there are left out. `at` is for messages. */
export async function readSets(
  client: Client,
  at: string,
  zone: DnsName,
  names: readonly DnsName[],
  call: CallContext,
): Promise<ReadonlyMap<DnsName, TxtSet>> {
  const found = new Map<DnsName, TxtSet>();
  if (names.length <= fewNames) {
    for (const name of names) {
      const set = await client.set(zone, name, call);
      if (set !== undefined) found.set(name, set);
    }
    return found;
  }
  const sets = await everyPage(
    (page) => client.sets(zone, page, pageSize, call),
    ({ name }) => name,
    (seen) => names.every((name) => seen.has(name)),
  );
  if (sets === undefined) throw inPieces(at, `the TXT sets of zone ${zone}`);
  for (const set of sets) if (names.includes(set.name)) found.set(set.name, set);
  return found;
}

/** A list that changed while its pages were read. */
export function inPieces(at: string, what: string): ProviderError {
  const message = `${at}: ${what} changed while the pages of the list were read. They are read again.`;
  return new ProviderError({ kind: 'unavailable', message, sent: false });
}
