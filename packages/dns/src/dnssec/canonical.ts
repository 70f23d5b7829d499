import { recordTypes } from '../codes.ts';
import type { RrsigData } from '../message.ts';
import { type DnsName, labelsOf } from '../name.ts';
import { writeRdata } from '../rdata.ts';
import { writeRrsigFields } from '../rdata-security.ts';
import { WireWriter } from '../wire-writer.ts';
import type { SignedRrset } from './rrset.ts';

/**
 * The octets that a signature covers (RFC 4034 3.1.8.1): its own fields, then every record in canonical form (6.2) and
 * order (6.3) with its original TTL, a record that is there twice once. Names are in lower case already when a message
 * is decoded.
 *
 * @returns undefined for a type whose RDATA holds names and is kept raw, so that they may be compressed: MX, SRV, ...
 */
export function signedOctets(rrset: SignedRrset, rrsig: RrsigData): Uint8Array | undefined {
  const typeCode = recordTypes.codeOf(rrset.type);
  if (typeCode === undefined || rawTypesWithNames.has(typeCode)) return undefined;
  const fields = new WireWriter();
  writeRrsigFields(rrsig, fields);
  const frame = new WireWriter();
  frame.name(signedOwner(rrset.name, rrsig.labels));
  frame.u16(typeCode);
  frame.u16(1);
  frame.u32(rrsig.originalTtl);
  const rdata = rrset.records.map((record) => {
    const writer = new WireWriter();
    writeRdata(record, writer);
    return Buffer.from(writer.finish());
  });
  rdata.sort((one, other) => Buffer.compare(one.subarray(2), other.subarray(2))); // without RDLENGTH
  const distinct = rdata.filter((octets, i) => i === 0 || !octets.equals(rdata[i - 1] as Buffer));
  return Buffer.concat([fields.finish(), ...distinct.flatMap((octets) => [frame.finish(), octets])]);
}

/** Labels without the root and without a leading `*` (RFC 4034 3.1.3). */
export function signedLabelCount(name: DnsName): number {
  const labels = labelsOf(name);
  return labels[0] === '*' ? labels.length - 1 : labels.length;
}

/** The name that was signed: with fewer labels than the answer's, a wildcard (RFC 4035 5.3.2). */
export function signedOwner(name: DnsName, labels: number): DnsName {
  if (labels >= signedLabelCount(name)) return name;
  const closest = labelsOf(name).slice(labelsOf(name).length - labels);
  return ['*', ...closest].join('.') as DnsName;
}

/** RFC 4034 6.2, less what this package reads, and RRSIG, which is never signed. */
const rawTypesWithNames: ReadonlySet<number> = new Set([3, 4, 7, 8, 9, 14, 15, 17, 18, 21, 24, 26, 30, 33, 35, 36, 38]);
