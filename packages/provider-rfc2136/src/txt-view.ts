import { type DnsMessage, type DnsName, isWithin, txtValue } from '@zoneproof/dns';

/**
 * What a server says is at one name, from its answer to a TXT question with RD=0.
 *
 * rrset       it is authoritative and nothing stands in the way; no values means no RRset
 * alias       a CNAME or DNAME redirects the name; a wildcard may have made it
 * delegation  the name lies at or below a zone cut, so other servers answer for it
 * no-answer   it is not authoritative or will not say
 */
export type TxtView =
  | { readonly kind: 'rrset'; readonly values: readonly string[]; readonly ttl: number | undefined }
  | { readonly kind: 'alias'; readonly type: 'CNAME' | 'DNAME'; readonly owner: DnsName; readonly target: DnsName }
  | { readonly kind: 'delegation'; readonly cut: DnsName; readonly servers: readonly DnsName[] }
  | { readonly kind: 'no-answer'; readonly rcode: string };

/** Pure. Values are one character an octet (latin1), as in the message. */
export function viewTxt(message: DnsMessage, name: DnsName): TxtView {
  const { rcode, aa, answers, authorities } = message;
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { kind: 'no-answer', rcode };
  for (const record of answers) {
    if (record.type === 'DNAME' && record.name !== name && isWithin(name, record.name))
      return { kind: 'alias', type: 'DNAME', owner: record.name, target: record.data };
    if (record.type === 'CNAME' && record.name === name)
      return { kind: 'alias', type: 'CNAME', owner: name, target: record.data };
  }
  if (aa) {
    const rrset = answers.flatMap((record) => (record.type === 'TXT' && record.name === name ? [record] : []));
    return { kind: 'rrset', values: rrset.map(txtValue), ttl: rrset[0]?.ttl };
  }
  const referral = authorities.flatMap((record) =>
    record.type === 'NS' && record.name !== '' && isWithin(name, record.name) ? [record] : [],
  );
  const cut = referral[0]?.name;
  if (cut === undefined) return { kind: 'no-answer', rcode: `${rcode}, not authoritative` };
  return { kind: 'delegation', cut, servers: referral.map((record) => record.data) };
}
