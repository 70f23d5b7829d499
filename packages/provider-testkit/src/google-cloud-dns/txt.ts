/**
 * The rdata of one TXT record in presentation form (RFC 1035 5.1) -> its strings, one character per octet. Undefined
 * for what is none: a string over 255 octets, an open quote, a broken escape.
 */
export function parseTxt(rrdata: string): readonly string[] | undefined {
  const strings: string[] = [];
  let rest = Buffer.from(rrdata, 'utf8').toString('latin1').trim();
  while (rest !== '') {
    const token = /^"((?:[^"\\]|\\\d{3}|\\[^\d])*)"(?=\s|$)|^((?:[^"\\\s]|\\\d{3}|\\[^\d])+)(?=\s|$)/.exec(rest);
    if (token === null) return undefined;
    const text = (token[1] ?? token[2] ?? '').replace(/\\(?:(\d{3})|(.))/gs, (_all, code?: string, char?: string) =>
      code === undefined ? (char as string) : Number(code) > 255 ? '\uffff' : String.fromCharCode(Number(code)),
    );
    if (text.length > 255 || text.includes('\uffff')) return undefined;
    strings.push(text);
    rest = rest.slice(token[0].length).trimStart();
  }
  return strings.length === 0 ? undefined : strings;
}

/** What Cloud DNS stores: an unquoted word gets quotes. https://cloud.google.com/dns/docs/reference/v1/resourceRecordSets */
export function storedTxt(rrdata: string): string {
  return rrdata.trim().startsWith('"') ? rrdata.trim() : `"${rrdata.trim()}"`;
}

/** A logical value as another client would write it. */
export function formatTxt(value: string): string {
  const strings = value.match(/[\s\S]{1,255}/g) ?? [''];
  return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
