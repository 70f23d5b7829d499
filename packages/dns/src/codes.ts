/** Numbers of the IANA registry "DNS Parameters" that have a name here; every other one is written `TYPE65534` and the like. */
const typeNumbers = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  SSHFP: 44,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  NSEC3PARAM: 51,
  TLSA: 52,
  CDS: 59,
  CDNSKEY: 60,
  SVCB: 64,
  HTTPS: 65,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
  CAA: 257,
} as const;

const classNumbers = { IN: 1, CH: 3, HS: 4, NONE: 254, ANY: 255 } as const;

const opcodeNumbers = { QUERY: 0, IQUERY: 1, STATUS: 2, NOTIFY: 4, UPDATE: 5, DSO: 6 } as const;

const rcodeNumbers = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  DSOTYPENI: 11,
  BADVERS: 16,
  BADCOOKIE: 23,
} as const;

export type RecordType = keyof typeof typeNumbers | `TYPE${number}`;
export type RecordClass = keyof typeof classNumbers | `CLASS${number}`;
export type Opcode = keyof typeof opcodeNumbers | `OPCODE${number}`;
/** The response code with its upper bits of EDNS (RFC 6891 6.1.3). */
export type Rcode = keyof typeof rcodeNumbers | `RCODE${number}`;

export const recordTypes = codes<RecordType>('TYPE', typeNumbers, 0xffff);
export const recordClasses = codes<RecordClass>('CLASS', classNumbers, 0xffff);
export const opcodes = codes<Opcode>('OPCODE', opcodeNumbers, 0xf);
export const rcodes = codes<Rcode>('RCODE', rcodeNumbers, 0xfff);

interface Codes<Name extends string> {
  nameOf(code: number): Name;
  /** Undefined for a text that is neither a known name nor `PREFIXn` with `n` in range. */
  codeOf(name: string): number | undefined;
}

function codes<Name extends string>(prefix: string, known: Readonly<Record<string, number>>, max: number): Codes<Name> {
  const byName = new Map(Object.entries(known));
  const byCode = new Map(Object.entries(known).map(([name, code]) => [code, name]));
  return {
    nameOf: (code) => (byCode.get(code) ?? `${prefix}${code}`) as Name,
    codeOf(name) {
      const code = byName.get(name);
      if (code !== undefined) return code;
      const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      return /^\d{1,5}$/.test(digits) && Number(digits) <= max ? Number(digits) : undefined;
    },
  };
}
