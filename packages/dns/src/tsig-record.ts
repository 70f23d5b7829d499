import { DnsEncodeError } from './message.ts';
import type { DnsName } from './name.ts';
import { computeMac, type TsigKey } from './tsig-key.ts';
import { WireReader } from './wire-reader.ts';
import { maxMessageOctets, WireWriter } from './wire-writer.ts';

/** TSIG errors (RFC 8945 3): why the other side did not accept a signature. */
export const tsigErrors = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const;

/** A TSIG record (RFC 8945 4.2) but for its MAC. */
export interface TsigFields {
  readonly keyName: DnsName;
  readonly algorithm: string;
  /** Seconds since 1970, 48 bits. */
  readonly timeSigned: number;
  /** Seconds by which clocks may differ. */
  readonly fudge: number;
  readonly error: number;
  readonly otherData: Uint8Array;
}

export interface TsigRecord extends TsigFields {
  /** Offset of the record: the signed message ends there. */
  readonly start: number;
  readonly mac: Uint8Array;
  readonly originalId: number;
}

const tsigType = 250;
const anyClass = 255;

/**
 * Finds the TSIG record, without decoding the rest.
 *
 * @throws DnsDecodeError when the message cannot be walked, or a TSIG record is not the last thing in it
 */
export function findTsig(wire: Uint8Array): TsigRecord | undefined {
  const reader = new WireReader(wire);
  reader.take(4);
  const questions = reader.u16();
  const others = reader.u16() + reader.u16();
  const records = others + reader.u16();
  for (let i = 0; i < questions; i++) {
    reader.skipName();
    reader.take(4);
  }
  for (let i = 0; i < records; i++) {
    const start = reader.offset;
    reader.skipName();
    const type = reader.u16();
    if (type === tsigType) {
      if (i !== records - 1 || i < others) reader.fail('a TSIG record that is not the last one');
      const tsig = readTsig(start, reader);
      if (reader.offset !== wire.length) reader.fail('octets behind the TSIG record');
      return tsig;
    }
    reader.take(6);
    reader.take(reader.u16());
  }
  return undefined;
}

/** The message with a TSIG record behind it. */
export function appendTsig(wire: Uint8Array, fields: TsigFields, mac: Uint8Array, originalId: number): Uint8Array {
  const writer = new WireWriter();
  writer.name(fields.keyName);
  writer.u16(tsigType);
  writer.u16(anyClass);
  writer.u32(0);
  writer.measured(() => {
    writer.name(fields.algorithm);
    writer.u48(fields.timeSigned);
    writer.u16(fields.fudge);
    writer.u16(mac.length);
    writer.octets(mac);
    writer.u16(originalId);
    writer.u16(fields.error);
    writer.u16(fields.otherData.length);
    writer.octets(fields.otherData);
  });
  const record = writer.finish();
  if (wire.length + record.length > maxMessageOctets)
    throw new DnsEncodeError(`with its TSIG record it has more than ${maxMessageOctets} octets`);
  const signed = new Uint8Array(wire.length + record.length);
  signed.set(wire);
  signed.set(record, wire.length);
  const view = new DataView(signed.buffer);
  view.setUint16(10, view.getUint16(10) + 1);
  return signed;
}

/**
 * The MAC of RFC 8945 4.3. `message` has no TSIG record, and its header stands as it was before one was added.
 * `requestMac` goes in front when `message` is an answer.
 */
export function messageMac(
  key: TsigKey,
  message: readonly Uint8Array[],
  fields: TsigFields,
  requestMac?: Uint8Array,
): Uint8Array {
  const variables = new WireWriter();
  variables.name(fields.keyName);
  variables.u16(anyClass);
  variables.u32(0);
  variables.name(fields.algorithm);
  variables.u48(fields.timeSigned);
  variables.u16(fields.fudge);
  variables.u16(fields.error);
  variables.u16(fields.otherData.length);
  variables.octets(fields.otherData);
  const prefix = requestMac ? [Uint8Array.of(requestMac.length >> 8, requestMac.length & 0xff), requestMac] : [];
  return computeMac(key, [...prefix, ...message, variables.finish()]);
}

/** The MAC that a received message has to carry under `key`. */
export function expectedMac(key: TsigKey, wire: Uint8Array, tsig: TsigRecord, requestMac?: Uint8Array): Uint8Array {
  const header = Uint8Array.from(wire.subarray(0, 12));
  const view = new DataView(header.buffer);
  view.setUint16(0, tsig.originalId);
  view.setUint16(10, view.getUint16(10) - 1);
  return messageMac(key, [header, wire.subarray(12, tsig.start)], tsig, requestMac);
}

function readTsig(start: number, reader: WireReader): TsigRecord {
  const recordClass = reader.u16();
  const ttl = reader.u32();
  if (recordClass !== anyClass || ttl !== 0) reader.fail('a TSIG record of another class than ANY or with a TTL');
  const length = reader.u16();
  const end = reader.peek(length) + length;
  const { offset } = reader;
  reader.offset = start;
  const keyName = reader.name();
  reader.offset = offset;
  const algorithm = reader.name();
  const timeSigned = reader.u48();
  const fudge = reader.u16();
  const mac = reader.octets(reader.u16());
  const originalId = reader.u16();
  const error = reader.u16();
  const otherData = reader.octets(reader.u16());
  if (reader.offset !== end) reader.fail(`RDATA of TSIG is not the ${length} octets it claims to be`);
  return { start, keyName, algorithm, timeSigned, fudge, mac, originalId, error, otherData };
}
