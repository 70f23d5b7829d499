import { DnsEncodeError } from './message.ts';
import { toStrings } from './update.ts';

/** How an octet is written by its number: `\009` (RFC 1035 5.1), or `\011` as some APIs want it. */
export type TxtEscapes = 'decimal' | 'octal';

/**
 * A TXT value, one character per octet, in the presentation format of master files and of most APIs (RFC 1035 5.1):
 * quoted strings of at most 255 octets, in printable ASCII.
 *
 *   say "hi"   ->   "say \"hi\""
 *
 * @throws DnsEncodeError for characters that are no octets
 */
export function formatTxt(value: string, escapes: TxtEscapes = 'decimal'): string {
  if (/[^\0-\xff]/.test(value)) throw new DnsEncodeError('a TXT value holds characters that are no octets');
  const numbered = (octet: string): string =>
    `\\${octet
      .charCodeAt(0)
      .toString(escapes === 'octal' ? 8 : 10)
      .padStart(3, '0')}`;
  return toStrings(value)
    .map((string) => `"${string.replace(/["\\]/g, '\\$&').replace(/[^ -~]/g, numbered)}"`)
    .join(' ');
}

/**
 * The strings of TXT rdata in presentation format, one character per octet: quoted, or words without quotes. What is
 * written beyond ASCII counts as UTF-8. Undefined for what is no TXT rdata: an open quote, an escape of no octet, a
 * string over 255 octets, none at all.
 *
 *   "a" "b\034"   ->   ['a', 'b"']
 */
export function parseTxt(text: string, escapes: TxtEscapes = 'decimal'): readonly string[] | undefined {
  const strings: string[] = [];
  const octets = Buffer.from(text, 'utf8').toString('latin1');
  let at = spacesFrom(octets, 0);
  while (at < octets.length) {
    token.lastIndex = at;
    const [, quoted, word = ''] = token.exec(octets) ?? [];
    const string = token.lastIndex === 0 ? undefined : unescaped(quoted ?? word, escapes);
    if (string === undefined || string.length > 255) return undefined;
    strings.push(string);
    at = spacesFrom(octets, token.lastIndex);
  }
  return strings.length === 0 ? undefined : strings;
}

// Not \s: octets beyond ASCII are no spaces.
const token = /"((?:[^"\\]|\\.)*)"(?=[" \t\r\n]|$)|((?:[^ \t\r\n"\\]|\\.)+)(?=[ \t\r\n]|$)/sy;

function spacesFrom(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return at;
}

function unescaped(text: string, escapes: TxtEscapes): string | undefined {
  const [pattern, base] =
    escapes === 'octal' ? ([/\\([0-7]{3})|\\(.)/gs, 8] as const) : ([/\\(\d{3})|\\(.)/gs, 10] as const);
  let isOctets = true;
  const octets = text.replace(pattern, (_all, digits: string | undefined, plain: string) => {
    if (digits === undefined) {
      isOctets &&= !/\d/.test(plain);
      return plain;
    }
    const octet = Number.parseInt(digits, base);
    isOctets &&= octet <= 255;
    return String.fromCharCode(octet);
  });
  return isOctets ? octets : undefined;
}
