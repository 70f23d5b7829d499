const longestString = 255;

/**
 * A logical value as Route 53 stores it: strings of at most 255 octets in quotation marks. Quotation marks and
 * backslashes are escaped by a backslash, what is not printable ASCII by its octal code.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html#TXTFormat
 */
export function quoteTxt(value: string): string {
  const octets = Buffer.from(value, 'utf8');
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < octets.length; at += longestString)
    strings.push(`"${Array.from(octets.subarray(at, at + longestString), escapeOctet).join('')}"`);
  return strings.join(' ');
}

/** The logical value of a stored one. Never fails: what stands there may be anybody's. */
export function unquoteTxt(stored: string): string {
  const strings = [...stored.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|([^\s"]+)/g)];
  const octets = strings.flatMap(([, quoted, bare = '']) => [...readOctets(quoted ?? bare)]);
  return Buffer.from(octets).toString('utf8');
}

function escapeOctet(octet: number): string {
  if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCharCode(octet)}`;
  return octet >= 0x20 && octet <= 0x7e ? String.fromCharCode(octet) : `\\${octet.toString(8).padStart(3, '0')}`;
}

function* readOctets(text: string): Generator<number> {
  for (const [part, octal, escaped] of text.matchAll(/\\([0-3][0-7]{2})|\\([\s\S])|[\s\S]/gu)) {
    if (octal !== undefined) yield Number.parseInt(octal, 8);
    else yield* Buffer.from(escaped ?? part, 'utf8');
  }
}
