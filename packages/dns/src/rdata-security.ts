import { recordTypes } from './codes.ts';
import { type CaaData, DnsEncodeError, type DnskeyData, type DsData, type RrsigData } from './message.ts';
import type { WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

/** Each of these reads RDATA up to `end`, behind which the caller made sure that the message goes on or stops. */
export function readDs(end: number, reader: WireReader): DsData {
  const data = { keyTag: reader.u16(), algorithm: reader.u8(), digestType: reader.u8() };
  return { ...data, digest: readRest('a DS record without a digest', end, reader) };
}

export function writeDs(ds: DsData, writer: WireWriter): void {
  writer.u16(ds.keyTag);
  writer.u8(ds.algorithm);
  writer.u8(ds.digestType);
  writer.octets(ds.digest);
}

export function readDnskey(end: number, reader: WireReader): DnskeyData {
  const data = { flags: reader.u16(), protocol: reader.u8(), algorithm: reader.u8() };
  return { ...data, publicKey: readRest('a DNSKEY record without a key', end, reader) };
}

export function writeDnskey(key: DnskeyData, writer: WireWriter): void {
  writer.u16(key.flags);
  writer.u8(key.protocol);
  writer.u8(key.algorithm);
  writer.octets(key.publicKey);
}

export function readRrsig(end: number, reader: WireReader): RrsigData {
  const data = {
    typeCovered: recordTypes.nameOf(reader.u16()),
    algorithm: reader.u8(),
    labels: reader.u8(),
    originalTtl: reader.u32(),
    expiration: reader.u32(),
    inception: reader.u32(),
    keyTag: reader.u16(),
    signer: reader.name(),
  };
  return { ...data, signature: readRest('an RRSIG record without a signature', end, reader) };
}

export function writeRrsig(rrsig: RrsigData, writer: WireWriter): void {
  writeRrsigFields(rrsig, writer);
  writer.octets(rrsig.signature);
}

/** Everything in front of the signature, which is what a signature begins to cover (RFC 4034 3.1.8.1). */
export function writeRrsigFields(rrsig: RrsigData, writer: WireWriter): void {
  const typeCovered = recordTypes.codeOf(rrsig.typeCovered);
  if (typeCovered === undefined) throw new DnsEncodeError(`"${rrsig.typeCovered}" is no record type`);
  writer.u16(typeCovered);
  writer.u8(rrsig.algorithm);
  writer.u8(rrsig.labels);
  writer.u32(rrsig.originalTtl);
  writer.u32(rrsig.expiration);
  writer.u32(rrsig.inception);
  writer.u16(rrsig.keyTag);
  writer.name(rrsig.signer);
}

export function readCaa(end: number, reader: WireReader): CaaData {
  const flags = reader.u8();
  const tagLength = reader.u8();
  if (tagLength === 0) reader.fail('a CAA record without a tag'); // RFC 8659 4.1
  if (reader.offset + tagLength > end) reader.fail('a tag that runs over the end of its CAA record');
  const value = reader.take(tagLength) + tagLength;
  reader.take(end - value);
  return {
    flags,
    tag: reader.wire.toString('latin1', value - tagLength, value),
    value: reader.wire.toString('latin1', value, end),
  };
}

export function writeCaa(caa: CaaData, writer: WireWriter): void {
  if (caa.tag.length === 0 || caa.tag.length > 255)
    throw new DnsEncodeError(`a CAA tag of ${caa.tag.length} octets; 1 to 255 fit`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of the octets.
  if (/[^\u0000-\u00ff]/.test(caa.tag + caa.value))
    throw new DnsEncodeError('a CAA record holds characters that are no octets');
  writer.u8(caa.flags);
  writer.u8(caa.tag.length);
  writer.octets(Buffer.from(caa.tag + caa.value, 'latin1'));
}

/** What is left of RDATA, at least one octet. */
function readRest(otherwise: string, end: number, reader: WireReader): Uint8Array {
  if (reader.offset >= end) reader.fail(otherwise);
  return reader.octets(end - reader.offset);
}
