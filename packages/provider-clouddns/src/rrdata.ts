/**
 * A logical value, one character per octet, as the rdata of one TXT record in presentation form (RFC 1035 5.1): quoted
 * strings of at most 255 octets. Cloud DNS gives TXT back in quotes and takes it so.
 */
export function toRrdata(value: string): string {
  const strings = value.match(/[\s\S]{1,255}/g) ?? [''];
  return strings.map((text) => `"${text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, octet)}"`).join(' ');
}

/**
 * The rdata of one TXT record -> its logical value, the strings joined (RFC 8555 8.4). Characters beyond ASCII are
 * taken as UTF-8. What is no TXT rdata is given back as it stands: it equals no value of ours.
 */
export function fromRrdata(rrdata: string): string {
  const text = Buffer.from(rrdata, 'utf8').toString('latin1').trim();
  const strings = /^(?:(?:"(?:[^"\\]|\\[\s\S])*"|(?:[^"\\\s]|\\[\s\S])+)(?:\s+|$))*$/.test(text)
    ? text.match(/"(?:[^"\\]|\\[\s\S])*"|(?:[^"\\\s]|\\[\s\S])+/g)
    : undefined;
  if (!strings) return rrdata;
  return strings
    .map((string) => (string.startsWith('"') ? string.slice(1, -1) : string))
    .map((string) => string.replace(/\\(?:(\d{3})|([\s\S]))/g, (_all, code, char) => (code ? unescaped(code) : char)))
    .join('');
}

function octet(char: string): string {
  return `\\${String(char.charCodeAt(0)).padStart(3, '0')}`;
}

function unescaped(code: string): string {
  return String.fromCharCode(Number(code) & 255);
}
