import type { RecordType } from '../codes.ts';
import type { DnsRecord, RrsigData } from '../message.ts';
import type { DnsName } from '../name.ts';

/** All records of one name and type in class IN, and the signatures that came with them. */
export interface SignedRrset {
  readonly name: DnsName;
  readonly type: RecordType;
  readonly records: readonly DnsRecord[];
  readonly signatures: readonly RrsigData[];
}

/** Picks one RRset and its signatures out of a section: `signedRrset(message.answers, zone, 'DNSKEY')`. */
export function signedRrset(section: readonly DnsRecord[], name: DnsName, type: RecordType): SignedRrset {
  const here = section.filter((record) => record.name === name && (record.class ?? 'IN') === 'IN' && !record.empty);
  return {
    name,
    type,
    records: here.filter((record) => record.type === type),
    signatures: here.flatMap((record) =>
      record.type === 'RRSIG' && record.data.typeCovered === type ? [record.data] : [],
    ),
  };
}

/** `the DNSKEY set of example.com`. */
export function rrsetText({ name, type }: Pick<SignedRrset, 'name' | 'type'>): string {
  return `the ${type} set of ${zoneText(name)}`;
}

export function zoneText(zone: DnsName): string {
  return zone === '' ? 'the root zone' : zone;
}
