import { oneLine, type Zone } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { ListedZone } from './sdk.ts';

/**
 * The zones where a new record can be seen by the world. Those that are left out are told by `warn`, together.
 *
 * pending, moved, initializing   the name servers of the registry are others
 * partial                        a CNAME setup: the zone itself is served elsewhere
 * secondary                      records come by zone transfer from a primary
 * internal                       private: marked as such
 *
 * https://developers.cloudflare.com/dns/zone-setups/
 */
export function usableZones(listed: readonly ListedZone[], warn: (message: string) => void): readonly Zone[] {
  const zones: Zone[] = [];
  const leftOut: string[] = [];
  for (const { id, name: text, status = 'active', type = 'full' } of listed.filter((zone) => zone !== null)) {
    const zone = zoneOf(id, text);
    if (zone === undefined) continue;
    if (type === 'internal') zones.push({ ...zone, visibility: 'private' });
    else if (status !== 'active') leftOut.push(`${zone.name} (${oneLine(status)})`);
    else if (type !== 'full') leftOut.push(`${zone.name} (${oneLine(type)})`);
    else zones.push(zone);
  }
  if (leftOut.length > 0) warn(leftOutMessage(leftOut));
  return zones;
}

const shown = 5;

function leftOutMessage(leftOut: readonly string[]): string {
  const more = leftOut.length > shown ? ` and ${leftOut.length - shown} more` : '';
  return `no records are written to ${leftOut.slice(0, shown).join(', ')}${more}: that takes an active full zone. Let the registry name the zone's Cloudflare name servers, or give the domain to the provider that serves it.`;
}

function zoneOf(id: unknown, text: unknown): Zone | undefined {
  if (typeof id !== 'string' || typeof text !== 'string') return undefined;
  try {
    return { id, name: toDnsName(text) };
  } catch {
    return undefined; // a name that no challenge can lie below
  }
}
