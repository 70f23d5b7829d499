const stringOctets = 255; // RFC 1035 3.3

/**
 * A value as Cloudflare wants it: quoted strings of at most 255 octets (RFC 1035 5.1).
 *
 *   say "hi"   ->   "say \"hi\""
 *
 * https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/#txt
 */
export function toContent(value: string): string {
  const octets = Buffer.from(value, 'utf8');
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < octets.length; at += stringOctets)
    strings.push(`"${[...octets.subarray(at, at + stringOctets)].map(written).join('')}"`);
  return strings.join(' ');
}

/** The value of a content as it is shown: quoted strings, or as some client wrote it without quotes. */
export function toValue(content: string): string {
  const octets: number[] = [];
  let at = 0;
  while (at < content.length) {
    if (content[at] !== '"') return content;
    at++;
    while (content[at] !== '"') {
      if (at >= content.length) return content;
      const [piece = '', decimal, escaped] = pieceAt(content, at);
      if (decimal !== undefined && Number(decimal) < 256) octets.push(Number(decimal));
      else octets.push(...Buffer.from(escaped ?? decimal ?? piece, 'utf8'));
      at += piece.length;
    }
    at++;
    while (content[at] === ' ' || content[at] === '\t') at++;
  }
  return Buffer.from(octets).toString('utf8');
}

/** `\"`, `\034` or what stands up to the next backslash or quote. */
function pieceAt(content: string, at: number): RegExpExecArray {
  const piece = /\\(\d{3})|\\(.)|[^"\\]+|\\/suy;
  piece.lastIndex = at;
  return piece.exec(content) as RegExpExecArray;
}

function written(octet: number): string {
  if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCharCode(octet)}`;
  if (octet >= 0x20 && octet < 0x7f) return String.fromCharCode(octet);
  return `\\${String(octet).padStart(3, '0')}`;
}
