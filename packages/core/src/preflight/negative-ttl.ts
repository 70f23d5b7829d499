import type { Verdict } from './finding.ts';
import type { ZoneObservation } from './observe-zone.ts';
import { soaOf } from './serials.ts';

const longSeconds = 3600;

/** How long resolvers remember that there is no value (RFC 2308 5). Pure. */
export function judgeNegativeTtl({ zone, servers }: ZoneObservation): Verdict {
  const soa = servers.map(soaOf).find((found) => found !== undefined);
  if (soa === undefined)
    return { result: 'skipped', detail: `no server of ${zone} was asked for its SOA, or none tells it`, facts: {} };
  const seconds = Math.min(soa.ttl, soa.minimum);
  const facts = { seconds, ttl: soa.ttl, minimum: soa.minimum };
  if (seconds <= longSeconds)
    return { result: 'ok', detail: `resolvers remember a missing name of ${zone} for ${seconds} s at most`, facts };
  return {
    result: 'warning',
    detail: `a resolver that asks too early remembers for ${seconds} s that ${zone} has no value; lower the last number of its SOA record (and its TTL) to ${longSeconds} or less`,
    facts,
  };
}
