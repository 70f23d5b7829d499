import { toStrings } from '@zoneproof/dns';

/**
 * TXT rdata in master file format (RFC 1035 5.1), as the Edge DNS API reads and writes it.
 * https://techdocs.akamai.com/edge-dns/reference/get-zones-zone-recordsets
 */

/** A logical value (one character an octet) -> `"..." "..."`, strings of at most 255 octets. */
export function toRdata(value: string): string {
  return toStrings(toOctets(value))
    .map((string) => `"${string.replace(/["\\]/g, '\\$&').replace(/[^ -~]/g, (octet) => `\\${decimal(octet)}`)}"`)
    .join(' ');
}

/** The logical value; undefined for what is no TXT rdata. */
export function fromRdata(rdata: string): string | undefined {
  let value = '';
  let rest = toOctets(rdata).trim();
  if (rest === '') return undefined;
  while (rest !== '') {
    const match = quoted.exec(rest) ?? bare.exec(rest);
    if (match === null) return undefined;
    value += (match[1] as string).replace(escaped, (_all, one: string) =>
      one.length === 3 ? String.fromCharCode(Number(one) & 0xff) : one,
    );
    rest = rest.slice(match[0].length);
  }
  return value;
}

const quoted = /^"((?:[^"\\]|\\\d{3}|\\[^\d])*)"(?:\s+|$)/s;
const bare = /^((?:[^\s"\\]|\\\d{3}|\\[^\d])+)(?:\s+|$)/s;
const escaped = /\\(\d{3}|[^\d])/gs;

/** Characters beyond one octet are sent as UTF-8. */
function toOctets(text: string): string {
  return /[^\0-\xff]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

function decimal(octet: string): string {
  return String(octet.charCodeAt(0)).padStart(3, '0');
}
