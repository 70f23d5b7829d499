import { encodeMessage } from './encode.ts';
import type { DnsRecord } from './message.ts';
import type { DnsName } from './name.ts';

/**
 * One TXT value to add, or to delete by value; other values at the name stay (RFC 2136 2.5.1, 2.5.4). `value` has one
 * character per octet (latin1).
 *
 * An add gives the whole RRset its TTL (seconds): a TXT RRset has one TTL.
 */
export type UpdateRecord =
  | { readonly op: 'add'; readonly name: DnsName; readonly ttl: number; readonly value: string }
  | { readonly op: 'delete'; readonly name: DnsName; readonly value: string };

/** An UPDATE of one zone (RFC 2136), which the server applies whole or not at all. @throws DnsEncodeError */
export function encodeUpdate(update: {
  readonly id: number;
  readonly zone: DnsName;
  readonly records: readonly UpdateRecord[];
}): Uint8Array {
  return encodeMessage({
    id: update.id,
    opcode: 'UPDATE',
    questions: [{ name: update.zone, type: 'SOA' }],
    authorities: update.records.map(toRecord),
  });
}

/** The character-strings of a TXT value: at most 255 octets each (RFC 1035 3.3.14), one empty string for ''. */
export function toStrings(value: string): readonly string[] {
  if (value.length <= 255) return [value];
  const strings: string[] = [];
  for (let start = 0; start < value.length; start += 255) strings.push(value.slice(start, start + 255));
  return strings;
}

function toRecord(record: UpdateRecord): DnsRecord {
  const { name } = record;
  const data = toStrings(record.value);
  return record.op === 'add'
    ? { name, type: 'TXT', class: 'IN', ttl: record.ttl, data }
    : { name, type: 'TXT', class: 'NONE', ttl: 0, data };
}
