import { child, type DnsMessage, type DnsName, type DnsQuestion, type DnsRecord, parentOf } from '@zoneproof/dns';
import { findZone, recordsAt, soaOf, type ZoneData } from './zone-data.ts';

/** What an authoritative server says; the frame (id, question, EDNS) is the caller's. */
export type AnswerSections = Pick<DnsMessage, 'rcode' | 'aa' | 'answers' | 'authorities' | 'additionals'>;

const maxAliases = 16;

/** The answer of a server with these zones (RFC 1034 4.3.2): no recursion, no DNSSEC. */
export function answerQuestion(question: DnsQuestion, zones: readonly ZoneData[]): AnswerSections {
  const answers: DnsRecord[] = [];
  let { name } = question;
  for (let step = 0; ; step++) {
    const zone = findZone(zones, name);
    // Out of the first zone: refused. Out of it by a CNAME: the resolver has to go on elsewhere.
    if (!zone)
      return { ...nothing, rcode: answers.length > 0 ? 'NOERROR' : 'REFUSED', aa: answers.length > 0, answers };
    const cut = findCut(zone, name);
    if (cut !== undefined) return answers.length > 0 ? { ...nothing, aa: true, answers } : referral(zone, cut);
    const found = recordsFor(zone, name);
    const alias = found?.find((record) => record.type === 'CNAME');
    if (alias?.type === 'CNAME' && question.type !== 'CNAME' && question.type !== 'ANY') {
      const seen = answers.some((record) => record.name === name);
      answers.push(alias);
      if (seen || step >= maxAliases) return { ...nothing, aa: true, answers };
      name = alias.data;
      continue;
    }
    const matching = found?.filter((record) => question.type === 'ANY' || record.type === question.type) ?? [];
    if (matching.length > 0) return { ...nothing, aa: true, answers: [...answers, ...matching] };
    return { ...nothing, rcode: found ? 'NOERROR' : 'NXDOMAIN', aa: true, answers, authorities: [negativeSoa(zone)] };
  }
}

const nothing: AnswerSections = { rcode: 'NOERROR', aa: false, answers: [], authorities: [], additionals: [] };

/** The records at a name, or those a wildcard gives it (RFC 4592); `undefined` when the name does not exist. */
function recordsFor(zone: ZoneData, name: DnsName): readonly DnsRecord[] | undefined {
  if (zone.names.has(name)) return recordsAt(zone, name);
  let encloser = parentOf(name);
  while (encloser !== undefined && !zone.names.has(encloser)) encloser = parentOf(encloser);
  if (encloser === undefined || `*.${encloser}`.length > 253) return undefined;
  const synthesised = recordsAt(zone, child('*', encloser));
  return synthesised.length > 0 ? synthesised.map((record) => ({ ...record, name })) : undefined;
}

/** The delegated name at or above `name`, nearest the apex. */
function findCut(zone: ZoneData, name: DnsName): DnsName | undefined {
  let cut: DnsName | undefined;
  for (let at: DnsName | undefined = name; at !== undefined && at !== zone.apex; at = parentOf(at))
    if (recordsAt(zone, at, 'NS').length > 0) cut = at;
  return cut;
}

function referral(zone: ZoneData, cut: DnsName): AnswerSections {
  const authorities = recordsAt(zone, cut, 'NS');
  const additionals = authorities.flatMap((record) =>
    record.type === 'NS'
      ? recordsAt(zone, record.data).filter((glue) => glue.type === 'A' || glue.type === 'AAAA')
      : [],
  );
  return { ...nothing, authorities, additionals };
}

/** RFC 2308 3: the TTL of a negative answer is the lesser of the SOA's own and its minimum. */
function negativeSoa(zone: ZoneData): DnsRecord {
  const soa = soaOf(zone);
  return { ...soa, ttl: Math.min(soa.ttl, soa.data.minimum) };
}
