import { isIPv4, isIPv6 } from 'node:net';
import packet from 'dns-packet';
import { DnsEncodeError, type DnsRecord, type RrsigData, type SoaData } from './message.ts';
import type { DnsName } from './name.ts';
import {
  readCaa,
  readDnskey,
  readDs,
  readRrsig,
  writeCaa,
  writeDnskey,
  writeDs,
  writeRrsig,
} from './rdata-security.ts';
import type { WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

type TypedData = DnsRecord extends infer One ? (One extends DnsRecord ? Pick<One, 'type' | 'data'> : never) : never;

/** The part of dns-packet that its type declarations leave out: one codec per record type, RDLENGTH included. */
interface RdataCodec<Data> {
  encode(data: Data, buffer: Buffer, offset: number): Buffer;
  decode(buffer: Buffer, offset: number): Data;
  encodingLength(data: Data): number;
}
const { record: codecOf } = packet as unknown as { record(type: string): RdataCodec<unknown> };
const addressV4 = codecOf('A') as RdataCodec<string>;
const addressV6 = codecOf('AAAA') as RdataCodec<string>;
const text = codecOf('TXT') as RdataCodec<Buffer[]>;

/** Reads RDLENGTH and RDATA. dns-packet's codecs see RDATA only after its length was checked. */
export function readRdata(type: DnsRecord['type'], reader: WireReader): TypedData {
  const start = reader.offset;
  const length = reader.u16();
  const end = reader.take(length) + length;
  reader.offset = start + 2;
  const rdata = readTyped(type, length, start, reader);
  if (reader.offset !== end) reader.fail(`RDATA of ${type} is not the ${length} octets it claims to be`);
  return rdata;
}

/** What `data` is in a record of UPDATE that names no value. */
export function emptyRdata(type: DnsRecord['type']): TypedData {
  switch (type) {
    case 'TXT':
      return { type, data: [] };
    case 'A':
    case 'AAAA':
      return { type, data: '' };
    case 'CNAME':
    case 'NS':
    case 'DNAME':
    case 'PTR':
      return { type, data: '' as DnsName };
    case 'SOA':
      return { type, data: emptySoa };
    case 'DS':
      return { type, data: { keyTag: 0, algorithm: 0, digestType: 0, digest: new Uint8Array(0) } };
    case 'DNSKEY':
      return { type, data: { flags: 0, protocol: 0, algorithm: 0, publicKey: new Uint8Array(0) } };
    case 'RRSIG':
      return { type, data: emptyRrsig };
    case 'CAA':
      return { type, data: { flags: 0, tag: '', value: '' } };
    default:
      return { type, data: new Uint8Array(0) };
  }
}

/** Writes RDLENGTH and RDATA. @throws DnsEncodeError */
export function writeRdata(record: TypedData, writer: WireWriter): void {
  switch (record.type) {
    case 'A':
      if (!isIPv4(record.data)) throw new DnsEncodeError(`"${record.data}" is no IPv4 address`);
      writeWith(addressV4, record.data, writer);
      break;
    case 'AAAA':
      if (!isIPv6(record.data) || record.data.includes('%'))
        throw new DnsEncodeError(`"${record.data}" is no IPv6 address`);
      writeWith(addressV6, record.data, writer);
      break;
    case 'TXT':
      writeWith(text, record.data.map(characterString), writer);
      break;
    case 'CNAME':
    case 'NS':
    case 'DNAME':
    case 'PTR':
      writer.measured(() => writer.name(record.data));
      break;
    case 'SOA':
      writer.measured(() => writeSoa(record.data, writer));
      break;
    case 'DS':
      writer.measured(() => writeDs(record.data, writer));
      break;
    case 'DNSKEY':
      writer.measured(() => writeDnskey(record.data, writer));
      break;
    case 'RRSIG':
      writer.measured(() => writeRrsig(record.data, writer));
      break;
    case 'CAA':
      writer.measured(() => writeCaa(record.data, writer));
      break;
    default:
      writer.measured(() => writer.octets(record.data));
  }
}

function readTyped(type: DnsRecord['type'], length: number, start: number, reader: WireReader): TypedData {
  switch (type) {
    case 'A':
      if (length !== 4) reader.fail(`an A record of ${length} octets`);
      reader.take(length);
      return { type, data: addressV4.decode(reader.wire, start) };
    case 'AAAA':
      if (length !== 16) reader.fail(`an AAAA record of ${length} octets`);
      reader.take(length);
      return { type, data: addressV6.decode(reader.wire, start) };
    case 'TXT':
      return { type, data: readStrings(length, start, reader) };
    case 'CNAME':
    case 'NS':
    case 'DNAME':
    case 'PTR':
      return { type, data: reader.name() };
    case 'SOA':
      return { type, data: readSoa(reader) };
    case 'DS':
      return { type, data: readDs(start + 2 + length, reader) };
    case 'DNSKEY':
      return { type, data: readDnskey(start + 2 + length, reader) };
    case 'RRSIG':
      return { type, data: readRrsig(start + 2 + length, reader) };
    case 'CAA':
      return { type, data: readCaa(start + 2 + length, reader) };
    default:
      return { type, data: reader.octets(length) };
  }
}

function readStrings(length: number, start: number, reader: WireReader): string[] {
  const end = reader.take(length) + length;
  let at = start + 2;
  while (at < end) at += 1 + (reader.wire[at] as number);
  if (at !== end) reader.fail('a character-string runs over the end of its TXT record');
  return text.decode(reader.wire, start).map((octets) => octets.toString('latin1'));
}

function readSoa(reader: WireReader): SoaData {
  return {
    mname: reader.name(),
    rname: reader.name(),
    serial: reader.u32(),
    refresh: reader.u32(),
    retry: reader.u32(),
    expire: reader.u32(),
    minimum: reader.u32(),
  };
}

function writeSoa(soa: SoaData, writer: WireWriter): void {
  writer.name(soa.mname);
  writer.name(soa.rname);
  for (const value of [soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum]) writer.u32(value);
}

function writeWith<Data>(codec: RdataCodec<Data>, data: Data, writer: WireWriter): void {
  const { buffer, start } = writer.reserve(codec.encodingLength(data));
  codec.encode(data, buffer, start);
}

function characterString(string: string): Buffer {
  if (string.length > 255) throw new DnsEncodeError(`a character-string of ${string.length} octets; 255 fit`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of the octets.
  if (/[^\u0000-\u00ff]/.test(string)) throw new DnsEncodeError('a TXT value holds characters that are no octets');
  return Buffer.from(string, 'latin1');
}

const emptyRrsig: RrsigData = {
  typeCovered: 'TYPE0',
  algorithm: 0,
  labels: 0,
  originalTtl: 0,
  expiration: 0,
  inception: 0,
  keyTag: 0,
  signer: '' as DnsName,
  signature: new Uint8Array(0),
};

const emptySoa: SoaData = {
  mname: '' as DnsName,
  rname: '' as DnsName,
  serial: 0,
  refresh: 0,
  retry: 0,
  expire: 0,
  minimum: 0,
};
