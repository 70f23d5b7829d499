import { parseTxt } from '@zoneproof/dns';

/**
 * The value that the content of a TXT record stands for: `"a" "b\"c"` is `ab"c`. A content without quotes stands for
 * itself, as UTF-8. One character per octet. Undefined where quotes are not in pairs.
 */
export function logicalValue(content: string): string | undefined {
  return content.startsWith('"') ? parseTxt(content)?.join('') : Buffer.from(content, 'utf8').toString('latin1');
}
