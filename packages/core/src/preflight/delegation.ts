import type { DnsName } from '@zoneproof/dns';
import { shown } from '../selfcheck/reply.ts';
import type { Verdict } from './finding.ts';
import type { ZoneObservation } from './observe-zone.ts';

/** Whether the parent names the same servers as the zone itself (RFC 1034 4.2.2). Pure. */
export function judgeDelegation({ zone, parent, servers }: ZoneObservation): Verdict {
  const own = sorted(servers.flatMap(({ nameservers }) => nameservers));
  if ('problem' in parent)
    return {
      result: 'unknown',
      detail: `what the parent of ${zone} says could not be seen: ${parent.problem}`,
      facts: { zone: own },
    };
  const above = shown(parent.zone);
  const facts = { parent: parent.zone, atParent: sorted(parent.nameservers), zone: own };
  // No public CA issues for names without a public top-level domain: whoever has one has a CA that finds it.
  const isPrivate = parent.zone === '' && parent.nameservers.length === 0;
  if (isPrivate)
    return {
      result: 'ok',
      detail: `${zone} is below no public top-level domain; only who is told its servers finds it, as the CA has to be`,
      facts,
    };
  if (parent.nameservers.length === 0)
    return {
      result: 'failed',
      detail: `${above} does not delegate ${zone}: nobody outside finds its servers (${own.join(', ') || 'none known'}); register or delegate it there`,
      facts,
    };
  if (own.length === 0)
    return {
      result: 'unknown',
      detail: `no server of ${zone} tells its NS records; ${above} has ${facts.atParent.join(', ')}`,
      facts,
    };
  const onlyAbove = facts.atParent.filter((host) => !own.includes(host));
  const onlyOwn = own.filter((host) => !facts.atParent.includes(host));
  if (onlyAbove.length + onlyOwn.length > 0) {
    const parts = [
      ...(onlyAbove.length > 0 ? [`only ${above} names ${onlyAbove.join(', ')}`] : []),
      ...(onlyOwn.length > 0 ? [`only ${zone} itself names ${onlyOwn.join(', ')}`] : []),
    ];
    const who = 'make the NS records of both the same, since a CA may ask any of them';
    return {
      result: 'warning',
      detail: `the name servers of ${zone} are not the same at both ends: ${parts.join('; ')}; ${who}`,
      facts,
    };
  }
  const differing = servers.find(
    ({ nameservers }) => nameservers.length > 0 && sorted(nameservers).join() !== own.join(),
  );
  if (differing !== undefined)
    return {
      result: 'warning',
      detail: `${differing.name} ${differing.address} has other NS records of ${zone} than the rest (${sorted(differing.nameservers).join(', ')}); see why it has another copy of the zone`,
      facts,
    };
  return { result: 'ok', detail: `${above} delegates ${zone} to ${own.join(', ')}, as the zone says itself`, facts };
}

function sorted(names: readonly DnsName[]): readonly DnsName[] {
  return [...new Set(names)].sort();
}
