import { type DnsName, isWithin } from '@zoneproof/dns';
import type { Zone } from '../contract/index.ts';

/**
 * The deepest public zone that holds `name`, matched on a label boundary.
 *
 *   name    _acme-challenge.www.example.com
 *   zones   example.com, www.example.com, ample.com
 *   result  www.example.com
 *
 * `ambiguous` when the deepest name is there more than once: which of them the world sees cannot be told from here.
 */
export function longestZone(
  name: DnsName,
  zones: readonly Zone[],
): Zone | { readonly ambiguous: readonly Zone[] } | undefined {
  const holding = zones.filter((zone) => zone.visibility !== 'private' && isWithin(name, zone.name));
  const length = Math.max(...holding.map((zone) => zone.name.length));
  const deepest = [
    ...new Map(holding.filter((zone) => zone.name.length === length).map((zone) => [zone.id, zone])).values(),
  ];
  return deepest.length > 1 ? { ambiguous: deepest } : deepest[0];
}
