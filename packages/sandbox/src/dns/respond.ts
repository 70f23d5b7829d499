import { DnsDecodeError, type DnsMessage, decodeMessage, encodeMessage } from '@zoneproof/dns';

// The size that passes every path unfragmented (DNS flag day 2020).
const udpSize = 1232;

/** A request that can be answered, or the wire of the FORMERR it gets, or nothing for what deserves no answer. */
export function readRequest(wire: Uint8Array): DnsMessage | Uint8Array | undefined {
  try {
    const message = decodeMessage(wire);
    return message.response ? undefined : message;
  } catch (error) {
    if (!(error instanceof DnsDecodeError)) throw error;
    return formatError(wire);
  }
}

/** The FORMERR for octets that are no message; nothing when there is not even a header, or when it is an answer. */
export function formatError(wire: Uint8Array): Uint8Array | undefined {
  if (wire.length < 12 || (wire[2]! & 0x80) !== 0) return undefined;
  const header = new Uint8Array(12);
  header.set(wire.subarray(0, 3));
  header[2] = (wire[2]! & 0x79) | 0x80;
  header[3] = 1;
  return header;
}

/** The wire of an answer to `request`; over UDP cut to what the client takes, with TC (RFC 2181 9). */
export function writeAnswer(request: DnsMessage, answer: Partial<DnsMessage>, transport: 'udp' | 'tcp'): Uint8Array {
  const frame = {
    id: request.id,
    opcode: request.opcode,
    response: true,
    rd: request.rd,
    questions: request.questions,
    ...(request.edns && { edns: { udpSize, dnssecOk: false, extendedErrors: [] } }),
  };
  const wire = encodeMessage({ ...frame, ...answer });
  const limit = Math.min(udpSize, Math.max(512, request.edns?.udpSize ?? 512));
  if (transport === 'tcp' || wire.length <= limit) return wire;
  const { answers: _, authorities: __, additionals: ___, ...rest } = answer;
  return encodeMessage({ ...frame, ...rest, tc: true });
}
