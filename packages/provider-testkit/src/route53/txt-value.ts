/** Why a value is no TXT value, in the words that follow `FATAL problem:`. */
export interface ValueProblem {
  readonly problem: string;
}

const longestString = 255;
const longestValue = 4_000;

/**
 * A value of a TXT record as the API takes it: strings in quotation marks of at most 255 characters each, together at
 * most 4,000; `\ooo` in octal and `\` before a quotation mark.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html#TXTFormat
 */
export function readTxtValue(raw: string): { readonly value: string } | ValueProblem {
  if (!/^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s.test(raw))
    return { problem: 'InvalidCharacterString (Value should be enclosed in quotation marks)' };
  const strings = [...raw.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, inside = '']) => unescaped(inside));
  if (strings.some((string) => string.length > longestString))
    return { problem: 'CharacterStringTooLong (Value is too long)' };
  // assumed: which word is used for the whole value is not published
  if (raw.length > longestValue) return { problem: 'TXTRDATATooLong (Value is too long)' };
  if (/[^ -~]/.test(raw)) return { problem: 'UnsupportedCharacter (Value contains unsupported characters)' };
  return { value: Buffer.from(strings.join(''), 'latin1').toString('utf8') };
}

/** As another client of the account writes it. */
export function writeTxtValue(value: string): string {
  const bytes = Buffer.from(value, 'utf8');
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += longestString)
    strings.push(`"${[...bytes.subarray(at, at + longestString)].map(escapeOctet).join('')}"`);
  return strings.join(' ');
}

function escapeOctet(octet: number): string {
  if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCharCode(octet)}`;
  return octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : `\\${octet.toString(8).padStart(3, '0')}`;
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3}|[\s\S])/g, (_all, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped,
  );
}
