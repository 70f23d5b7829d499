import { formatTxt, parseTxt } from '@zoneproof/dns';

/** Why a value is no TXT value, in the words that follow `FATAL problem:`. */
export interface ValueProblem {
  readonly problem: string;
}

const longestValue = 4_000;
const string = String.raw`"(?:[^"\\]|\\[0-3][0-7]{2}|\\\D)*"`;
const form = new RegExp(String.raw`^${string}(?:\s+${string})*$`, 's');

/**
 * A value of a TXT record as the API takes it: strings in quotation marks of at most 255 characters each, together at
 * most 4,000; `\ooo` in octal and `\` before a quotation mark.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html#TXTFormat
 */
export function readTxtValue(raw: string): { readonly value: string } | ValueProblem {
  if (!form.test(raw)) return { problem: 'InvalidCharacterString (Value should be enclosed in quotation marks)' };
  if (/[^ -~]/.test(raw)) return { problem: 'UnsupportedCharacter (Value contains unsupported characters)' };
  const strings = parseTxt(raw, 'octal');
  if (strings === undefined) return { problem: 'CharacterStringTooLong (Value is too long)' };
  // assumed: which word is used for the whole value is not published
  if (raw.length > longestValue) return { problem: 'TXTRDATATooLong (Value is too long)' };
  return { value: strings.join('') };
}

/** As another client of the account writes it. */
export function writeTxtValue(value: string): string {
  return formatTxt(value, 'octal');
}
