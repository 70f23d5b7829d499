import type { CallContext } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Client } from './client.ts';
import type { TxtSet } from './record-set.ts';

/** Up to this many sets are asked for one by one; more of them from the list of all, which may be long. */
const fewNames = 2;
const pageSize = 1_000;

/** The TXT sets at `names`; those that are not there are left out. */
export async function readSets(
  client: Client,
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
  const wanted = new Set(names);
  for (let page = 1, seen = 0; ; page++) {
    const { sets, total, length } = await client.sets(zone, page, pageSize, call);
    for (const set of sets) if (wanted.has(set.name)) found.set(set.name, set);
    seen += length;
    if (length === 0 || found.size === wanted.size || seen >= (total ?? Number.POSITIVE_INFINITY)) return found;
  }
}
