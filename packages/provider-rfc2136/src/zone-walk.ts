import type { CallContext, RecordTarget, Zone } from '@zoneproof/core';
import { type DnsMessage, type DnsName, isWithin, parentOf } from '@zoneproof/dns';
import type { Client } from './client.ts';
import { inTheWayError, type Peer, unservedZoneError } from './errors.ts';

/**
 * What a server's answer to an SOA question (RD=0) says about the zone of the name asked for.
 *
 * apex        the server is authoritative, and the zone that holds the name begins here
 * delegation  other servers hold it, from `cut` downwards
 * unavailable the server has the zone but cannot serve it now
 * above       nothing about it; its parent may tell more
 */
export type ZoneView =
  | { readonly kind: 'apex'; readonly apex: DnsName }
  | { readonly kind: 'delegation'; readonly cut: DnsName; readonly servers: readonly DnsName[] }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'above' };

/**
 * Pure. A denial (NODATA, NXDOMAIN) names the apex too, in the owner of its SOA (RFC 2308 3), so that one question is
 * enough unless the name has a CNAME.
 */
export function viewZone({ rcode, aa, answers, authorities }: DnsMessage, name: DnsName): ZoneView {
  if (rcode === 'SERVFAIL') return { kind: 'unavailable' };
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { kind: 'above' };
  if (answers.some((record) => record.type === 'CNAME' || record.type === 'DNAME')) return { kind: 'above' };
  if (aa) {
    const soa = [...answers, ...authorities].find((record) => record.type === 'SOA' && isWithin(name, record.name));
    return soa ? { kind: 'apex', apex: soa.name } : { kind: 'above' };
  }
  const referral = authorities.flatMap((record) =>
    record.type === 'NS' && record.name !== '' && isWithin(name, record.name) ? [record] : [],
  );
  const cut = referral[0]?.name;
  if (answers.length > 0 || cut === undefined) return { kind: 'above' };
  return { kind: 'delegation', cut, servers: referral.map((record) => record.data) };
}

/**
 * Asks the server for the SOA of the name, then of its parents, until it is authoritative for one.
 *
 * @throws ProviderError kind `zone-not-found` when the server has the zone above but delegates the name away
 */
export async function findZone(
  { name }: RecordTarget,
  client: Client,
  peer: Peer,
  call: CallContext,
): Promise<Zone | undefined> {
  let delegation: Extract<ZoneView, { kind: 'delegation' }> | undefined;
  for (let asked: DnsName | undefined = name; asked; asked = parentOf(asked)) {
    const view = viewZone(await client.ask(asked, 'SOA', call), asked);
    if (view.kind === 'unavailable') throw unservedZoneError(asked, peer);
    if (view.kind === 'delegation') delegation ??= view;
    if (view.kind !== 'apex') continue;
    if (delegation) throw inTheWayError(delegation, name, view.apex, peer);
    return { id: view.apex, name: view.apex };
  }
  return undefined;
}
