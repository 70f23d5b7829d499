import { opcodes, rcodes, recordClasses, recordTypes } from './codes.ts';
import { readOpt } from './edns.ts';
import type { DnsMessage, DnsQuestion, DnsRecord, Edns } from './message.ts';
import { emptyRdata, readRdata } from './rdata.ts';
import { WireReader } from './wire-reader.ts';
import { maxMessageOctets } from './wire-writer.ts';

/**
 * Reads a message of at most 65 535 octets. The work is bounded by the message's length whatever its counts and
 * pointers say: no record is made that does not stand on the wire.
 *
 * @throws DnsDecodeError and nothing else
 */
export function decodeMessage(wire: Uint8Array): DnsMessage {
  const reader = new WireReader(wire);
  if (wire.length > maxMessageOctets) reader.fail(`more than ${maxMessageOctets} octets`);
  const id = reader.u16();
  const flags = reader.u16();
  const opcode = opcodes.nameOf((flags >> 11) & 0xf);
  const [questionCount, answerCount, authorityCount, additionalCount] = [
    reader.u16(),
    reader.u16(),
    reader.u16(),
    reader.u16(),
  ] as const;

  const questions: DnsQuestion[] = [];
  while (questions.length < questionCount) questions.push(readQuestion(reader));

  const update = opcode === 'UPDATE';
  const answers = readRecords(answerCount, update, reader);
  const authorities = readRecords(authorityCount, update, reader);
  const additionals: DnsRecord[] = [];
  let edns: Edns | undefined;
  let rcode = flags & 0xf;
  for (let read = 0; read < additionalCount; read++) {
    const name = reader.name();
    const type = recordTypes.nameOf(reader.u16());
    if (type !== 'OPT') additionals.push(readRecord(name, type, update, reader));
    else if (edns !== undefined)
      reader.fail('a second OPT record'); // RFC 6891 6.1.1
    else {
      const opt = readOpt(reader);
      edns = opt.edns;
      rcode |= opt.rcodeBits << 4;
    }
  }
  if (reader.offset !== wire.length) reader.fail(`${wire.length - reader.offset} octets behind the last record`);

  return {
    id,
    opcode,
    response: (flags & 0x8000) !== 0,
    rcode: rcodes.nameOf(rcode),
    aa: (flags & 0x0400) !== 0,
    tc: (flags & 0x0200) !== 0,
    rd: (flags & 0x0100) !== 0,
    ra: (flags & 0x0080) !== 0,
    ad: (flags & 0x0020) !== 0,
    cd: (flags & 0x0010) !== 0,
    questions,
    answers,
    authorities,
    additionals,
    ...(edns && { edns }),
  };
}

function readQuestion(reader: WireReader): DnsQuestion {
  const start = reader.offset;
  const name = reader.name();
  const spelling = reader.spelling(start);
  return {
    name,
    ...(spelling !== undefined && { spelling }),
    type: recordTypes.nameOf(reader.u16()),
    class: recordClasses.nameOf(reader.u16()),
  };
}

function readRecords(count: number, update: boolean, reader: WireReader): DnsRecord[] {
  const records: DnsRecord[] = [];
  while (records.length < count)
    records.push(readRecord(reader.name(), recordTypes.nameOf(reader.u16()), update, reader));
  return records;
}

function readRecord(name: DnsRecord['name'], type: DnsRecord['type'], update: boolean, reader: WireReader): DnsRecord {
  const recordClass = recordClasses.nameOf(reader.u16());
  const seconds = reader.u32();
  const ttl = seconds > 0x7fff_ffff ? 0 : seconds; // RFC 2181 8
  if (update && (recordClass === 'ANY' || recordClass === 'NONE') && reader.wire.readUInt16BE(reader.peek(2)) === 0) {
    reader.take(2);
    return { name, class: recordClass, ttl, ...emptyRdata(type), empty: true };
  }
  return { name, class: recordClass, ttl, ...readRdata(type, reader) };
}
