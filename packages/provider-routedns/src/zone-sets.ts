import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { CallContext, Zone } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { Client, SetPlace } from './client.ts';
import { fromWireName, toWireName } from './wire-names.ts';

/**
 * The TXT sets at some names of a zone. A page starts at a name and goes on with those after it, so that one request
 * serves all names of a small zone.
 */
export async function readSets(
  zone: Zone,
  names: readonly DnsName[],
  client: Pick<Client, 'listSets'>,
  call: CallContext,
): Promise<ReadonlyMap<DnsName, readonly ResourceRecordSet[]>> {
  const found = new Map<DnsName, ResourceRecordSet[]>(names.map((name) => [name, []]));
  const waiting = [...names].sort((a, b) => (listOrder(a) < listOrder(b) ? -1 : 1));
  let place: SetPlace | undefined;
  while (waiting[0] !== undefined) {
    const { sets, next } = await client.listSets(zone, place ?? { name: toWireName(waiting[0]) }, call);
    for (const set of sets)
      if (set.Type === 'TXT') found.get(fromWireName(set.Name ?? '') ?? ('' as DnsName))?.push(set);
    const nextName = next && fromWireName(next.name);
    const reached = nextName === undefined ? undefined : listOrder(nextName);
    while (
      waiting[0] !== undefined &&
      (next === undefined || (reached !== undefined && listOrder(waiting[0]) < reached))
    )
      waiting.shift();
    // In the middle of a name the page goes on; else the next name that is asked for may be far behind.
    place = reached === undefined || (waiting[0] !== undefined && listOrder(waiting[0]) === reached) ? next : undefined;
  }
  return found;
}

/**
 * Labels from the right, with the final dot.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html
 */
function listOrder(name: DnsName): string {
  return `${name.split('.').reverse().join('.')}.`;
}
