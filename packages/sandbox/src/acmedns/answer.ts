import { type DnsName, type DnsQuestion, type DnsRecord, isWithin, labelsOf } from '@zoneproof/dns';
import type { AnswerSections } from '../dns/answer.ts';
import { recordsAt, soaOf, type ZoneData } from '../dns/zone-data.ts';
import type { AcmeDnsAccounts } from './accounts.ts';

/**
 * The answer of acme-dns (`pkg/nameserver`), oddities included: static records for its own names; TXT with TTL 1 where
 * the first label is a subdomain with values; NXDOMAIN for everything else at such a leaf, so that a question for
 * another type plants a negative answer for TXT too (RFC 8020).
 */
export function answerAcmeDns(question: DnsQuestion, zone: ZoneData, accounts: AcmeDnsAccounts): AnswerSections {
  const { name, type } = question;
  const aa = isWithin(name, zone.apex);
  const answers: DnsRecord[] = [...(aa ? recordsAt(zone, name, type) : [])];
  if (aa && type === 'TXT') answers.push(...leafRecords(name, accounts));
  const exists = answers.length > 0 || zone.nodes.has(name);
  // acme-dns sends its SOA with NXDOMAIN only, not with an empty NOERROR, and with its own TTL of an hour.
  return {
    rcode: exists ? 'NOERROR' : 'NXDOMAIN',
    aa,
    answers,
    authorities: exists || !aa ? [] : [soaOf(zone)],
    additionals: [],
  };
}

function leafRecords(name: DnsName, accounts: AcmeDnsAccounts): DnsRecord[] {
  const values = accounts.values(labelsOf(name)[0] ?? '') ?? [];
  return values.map((value) => ({ name, type: 'TXT', ttl: 1, data: [value] }));
}
