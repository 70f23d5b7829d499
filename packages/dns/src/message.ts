import type { Opcode, Rcode, RecordClass, RecordType } from './codes.ts';
import type { DnsName } from './name.ts';

/**
 * A DNS message. In an UPDATE (RFC 2136 2) the four sections are zone, prerequisite, update and additional, in the
 * fields `questions`, `answers`, `authorities` and `additionals`.
 *
 * Names are in lower case. An octet that `toDnsName` would not take is kept as `\DDD` (RFC 1035 5.1) where it is a dot,
 * a backslash or not printable, so that no two names of the wire become one; `encodeMessage` turns it back.
 */
export interface DnsMessage {
  readonly id: number;
  readonly opcode: Opcode;
  readonly response: boolean;
  readonly rcode: Rcode;
  readonly aa: boolean;
  readonly tc: boolean;
  readonly rd: boolean;
  readonly ra: boolean;
  readonly ad: boolean;
  readonly cd: boolean;
  readonly questions: readonly DnsQuestion[];
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  /** Without the OPT record, which is `edns`; a TSIG record stays, as a raw one. */
  readonly additionals: readonly DnsRecord[];
  readonly edns?: Edns;
}

export interface DnsQuestion {
  readonly name: DnsName;
  /** The name in its letter case on the wire, where that is not all lower: a server gives it back as it came. */
  readonly spelling?: string;
  readonly type: RecordType;
  /** Default IN; always there in a decoded message. */
  readonly class?: RecordClass;
}

/** What an OPT record says (RFC 6891). */
export interface Edns {
  /** Octets of the largest datagram its sender takes. */
  readonly udpSize: number;
  readonly dnssecOk: boolean;
  readonly extendedErrors: readonly ExtendedError[];
}

/** RFC 8914. Control characters of the text are replaced by spaces, and it is cut at 200 characters. */
export interface ExtendedError {
  readonly code: number;
  readonly text: string;
}

export type DnsRecord =
  | TxtRecord
  | AddressRecord
  | NameRecord
  | SoaRecord
  | DsRecord
  | DnskeyRecord
  | RrsigRecord
  | CaaRecord
  | RawRecord;

interface RecordFrame {
  readonly name: DnsName;
  /** Seconds. */
  readonly ttl: number;
  /** Default IN; always there in a decoded message. */
  readonly class?: RecordClass;
  /** RDLENGTH 0: a form of UPDATE that names no value (RFC 2136 2.4, 2.5). `data` then is the empty value of its type. */
  readonly empty?: true;
}

export interface TxtRecord extends RecordFrame {
  readonly type: 'TXT';
  /** The character-strings, one character per octet (latin1), each at most 255 long. */
  readonly data: readonly string[];
}

export interface AddressRecord extends RecordFrame {
  readonly type: 'A' | 'AAAA';
  readonly data: string;
}

export interface NameRecord extends RecordFrame {
  readonly type: 'CNAME' | 'NS' | 'DNAME' | 'PTR';
  readonly data: DnsName;
}

export interface SoaRecord extends RecordFrame {
  readonly type: 'SOA';
  readonly data: SoaData;
}

/** RFC 1035 3.3.13; times in seconds. */
export interface SoaData {
  readonly mname: DnsName;
  /** The mailbox as a name; a dot in its local part is `\046`. */
  readonly rname: DnsName;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

export interface DsRecord extends RecordFrame {
  readonly type: 'DS';
  readonly data: DsData;
}

/** RFC 4034 5.1; the numbers are those of the IANA registries. */
export interface DsData {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: Uint8Array;
}

export interface DnskeyRecord extends RecordFrame {
  readonly type: 'DNSKEY';
  readonly data: DnskeyData;
}

/** RFC 4034 2.1. */
export interface DnskeyData {
  readonly flags: number;
  readonly protocol: number;
  readonly algorithm: number;
  /** In the form of its algorithm: RFC 3110, RFC 6605, RFC 8080. */
  readonly publicKey: Uint8Array;
}

export interface RrsigRecord extends RecordFrame {
  readonly type: 'RRSIG';
  readonly data: RrsigData;
}

/** RFC 4034 3.1. */
export interface RrsigData {
  readonly typeCovered: RecordType;
  readonly algorithm: number;
  /** Labels of the owner as it was signed, without the root and without a leading `*`. */
  readonly labels: number;
  readonly originalTtl: number;
  /** Seconds since 1970 modulo 2^32, and so is `inception` (RFC 4034 3.1.5). */
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  readonly signer: DnsName;
  readonly signature: Uint8Array;
}

export interface CaaRecord extends RecordFrame {
  readonly type: 'CAA';
  readonly data: CaaData;
}

/** RFC 8659 4.1. Tag and value as they stand on the wire, one character per octet (latin1). */
export interface CaaData {
  readonly flags: number;
  /** At least one character; compared without regard to case. */
  readonly tag: string;
  readonly value: string;
}

/** A record whose RDATA is left as it stands on the wire; compressed names in it are not expanded. */
export interface RawRecord extends RecordFrame {
  readonly type: Exclude<
    RecordType,
    'TXT' | 'A' | 'AAAA' | 'CNAME' | 'NS' | 'DNAME' | 'PTR' | 'SOA' | 'DS' | 'DNSKEY' | 'RRSIG' | 'CAA'
  >;
  readonly data: Uint8Array;
}

/** The one value that a TXT record stands for: its strings joined (RFC 7208 3.3, RFC 8555 8.4). */
export function txtValue(record: TxtRecord): string {
  return record.data.length === 1 ? (record.data[0] as string) : record.data.join('');
}

/** Octets that are no DNS message. `offset` is where reading stopped. */
export class DnsDecodeError extends Error {
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`not a DNS message: ${problem} at octet ${offset}`);
    this.name = 'DnsDecodeError';
    this.offset = offset;
  }
}

/** A message that cannot be written: a name, value or number outside what the wire can hold. */
export class DnsEncodeError extends Error {
  constructor(problem: string) {
    super(`the DNS message cannot be written: ${problem}`);
    this.name = 'DnsEncodeError';
  }
}
