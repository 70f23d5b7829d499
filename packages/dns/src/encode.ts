import { opcodes, type RecordType, rcodes, recordClasses, recordTypes } from './codes.ts';
import { writeOpt } from './edns.ts';
import { DnsEncodeError, type DnsMessage, type DnsQuestion, type DnsRecord } from './message.ts';
import type { DnsName } from './name.ts';
import { writeRdata } from './rdata.ts';
import { WireWriter } from './wire-writer.ts';

/** What a sender has room for unless it knows better: DNS flag day 2020, below every usual path's MTU. */
export const defaultUdpSize = 1232;

/**
 * Writes a message without name compression; what is left out is `QUERY`, `NOERROR`, false or empty.
 *
 * @throws DnsEncodeError when a name, value or number does not fit, or the message has more than 65 535 octets
 */
export function encodeMessage(message: Partial<DnsMessage> & { readonly id: number }): Uint8Array {
  const { questions = [], answers = [], authorities = [], additionals = [], edns } = message;
  const rcode = known(rcodes, message.rcode ?? 'NOERROR');
  if (rcode > 0xf && edns === undefined) throw new DnsEncodeError(`${message.rcode} needs EDNS (RFC 6891 6.1.3)`);
  const writer = new WireWriter();
  writer.u16(message.id);
  writer.u16(
    (message.response ? 0x8000 : 0) |
      (known(opcodes, message.opcode ?? 'QUERY') << 11) |
      (message.aa ? 0x0400 : 0) |
      (message.tc ? 0x0200 : 0) |
      (message.rd ? 0x0100 : 0) |
      (message.ra ? 0x0080 : 0) |
      (message.ad ? 0x0020 : 0) |
      (message.cd ? 0x0010 : 0) |
      (rcode & 0xf),
  );
  writer.u16(questions.length);
  writer.u16(answers.length);
  writer.u16(authorities.length);
  writer.u16(additionals.length + (edns ? 1 : 0));
  for (const question of questions) writeQuestion(question, writer);
  for (const record of answers) writeRecord(record, writer);
  for (const record of authorities) writeRecord(record, writer);
  for (const record of additionals) writeRecord(record, writer);
  if (edns) writeOpt(edns, rcode, writer);
  return writer.finish();
}

/**
 * A query for one RRset. `edns` is the UDP size to offer (default 1232), or false for a server that refuses EDNS;
 * without EDNS there is no `dnssecOk` (RFC 3225 3).
 */
export function encodeQuery(query: {
  readonly id: number;
  readonly name: DnsName;
  /** The name in the letter case to send. */
  readonly spelling?: string;
  readonly type: RecordType;
  readonly rd?: boolean;
  /** Asks a validating resolver to say whether what it answers is proven (RFC 6840 5.7). */
  readonly ad?: boolean;
  /** Asks a validating resolver for data that it finds bogus too (RFC 4035 3.2.2). */
  readonly cd?: boolean;
  /** Asks for the signatures of what is answered (RFC 4035 3.2.1). */
  readonly dnssecOk?: boolean;
  readonly edns?: number | false;
}): Uint8Array {
  const {
    id,
    name,
    spelling = name,
    type,
    rd = false,
    ad = false,
    cd = false,
    dnssecOk = false,
    edns = defaultUdpSize,
  } = query;
  return encodeMessage({
    id,
    rd,
    ad,
    cd,
    questions: [{ name, spelling, type }],
    ...(edns !== false && { edns: { udpSize: edns, dnssecOk, extendedErrors: [] } }),
  });
}

function writeQuestion(question: DnsQuestion, writer: WireWriter): void {
  const { name, spelling } = question;
  writer.name(spelling?.toLowerCase() === name ? spelling : name);
  writer.u16(known(recordTypes, question.type));
  writer.u16(known(recordClasses, question.class ?? 'IN'));
}

function writeRecord(record: DnsRecord, writer: WireWriter): void {
  writer.name(record.name);
  writer.u16(known(recordTypes, record.type));
  writer.u16(known(recordClasses, record.class ?? 'IN'));
  writer.u32(record.ttl);
  if (record.empty) writer.u16(0);
  else writeRdata(record, writer);
}

function known(codes: { codeOf(name: string): number | undefined }, name: string): number {
  const code = codes.codeOf(name);
  if (code === undefined) throw new DnsEncodeError(`"${name}" is no code of the DNS`);
  return code;
}
