/** The logical value of TXT rdata in master file format (RFC 1035 5.1, 3.3.14), one character an octet; undefined when it is none. */
export function readTxt(rdata: string): string | undefined {
  let value = '';
  let rest = rdata.trim();
  if (rest === '') return undefined;
  while (rest !== '') {
    const string =
      /^"((?:[^"\\]|\\\d{3}|\\\D)*)"(?:\s+|$)/.exec(rest) ?? /^((?:[^\s"\\]|\\\d{3}|\\\D)+)(?:\s+|$)/.exec(rest);
    if (string === null) return undefined;
    const octets = (string[1] as string).replace(/\\(\d{3}|\D)/g, (_all, escaped: string) =>
      /^\d/.test(escaped) ? String.fromCharCode(Number(escaped)) : escaped,
    );
    if (octets.length > 255) return undefined;
    value += octets;
    rest = rest.slice(string[0].length);
  }
  return value;
}

/** A value as rdata: strings of at most 255 octets in quotes. */
export function writeTxt(value: string): string {
  const strings = value.match(/[\s\S]{1,255}/g) ?? [''];
  return strings.map((string) => `"${string.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
