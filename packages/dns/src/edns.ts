import { DnsEncodeError, type Edns, type ExtendedError } from './message.ts';
import type { WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

const extendedErrorOption = 15; // RFC 8914 2
const dnssecOkFlag = 0x8000;

/** Reads an OPT record behind its type; `rcodeBits` are the upper eight bits of the response code (RFC 6891 6.1.3). */
export function readOpt(reader: WireReader): { readonly edns: Edns; readonly rcodeBits: number } {
  const udpSize = Math.max(512, reader.u16()); // RFC 6891 6.2.3
  const rcodeBits = reader.u8();
  reader.u8(); // version: a server that speaks a later one still has to answer in version 0
  const flags = reader.u16();
  const length = reader.u16();
  const end = reader.take(length) + length;
  reader.offset = end - length;
  const extendedErrors: ExtendedError[] = [];
  while (reader.offset < end) {
    const code = reader.u16();
    const optionLength = reader.u16();
    const start = reader.take(optionLength);
    if (reader.offset > end) reader.fail('an EDNS option runs over the end of its OPT record');
    if (code === extendedErrorOption && optionLength >= 2)
      extendedErrors.push({
        code: reader.wire.readUInt16BE(start),
        text: printable(reader.wire.toString('utf8', start + 2, reader.offset)),
      });
  }
  return { edns: { udpSize, dnssecOk: (flags & dnssecOkFlag) !== 0, extendedErrors }, rcodeBits };
}

/** Writes a whole OPT record. */
export function writeOpt(edns: Edns, rcode: number, writer: WireWriter): void {
  if (edns.udpSize < 512) throw new DnsEncodeError(`an EDNS size of ${edns.udpSize} octets; 512 is the least`);
  writer.name('');
  writer.u16(41);
  writer.u16(edns.udpSize);
  writer.u32((rcode >> 4) * 0x100_0000 + (edns.dnssecOk ? dnssecOkFlag : 0));
  writer.measured(() => {
    for (const error of edns.extendedErrors) {
      writer.u16(extendedErrorOption);
      writer.measured(() => {
        writer.u16(error.code);
        writer.octets(Buffer.from(error.text, 'utf8'));
      });
    }
  });
}

function printable(text: string): string {
  return text.slice(0, 200).replace(/\p{C}+/gu, ' ');
}
