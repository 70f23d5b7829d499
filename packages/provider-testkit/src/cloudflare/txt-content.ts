/**
 * The value that the content of a TXT record stands for (RFC 1035 5.1): `"a" "b\"c"` is `ab"c`. A content without quotes
 * stands for itself. Undefined where a quote is not closed or something stands between the strings.
 */
export function logicalValue(content: string): string | undefined {
  if (!content.startsWith('"')) return content;
  const strings = /^(?:"(?:[^"\\]|\\.)*"\s*)+$/s;
  if (!strings.test(content)) return undefined;
  const octets: number[] = [];
  for (const [, string = ''] of content.matchAll(/"((?:[^"\\]|\\.)*)"/gs))
    for (const [piece, decimal, escaped] of string.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gs))
      if (decimal !== undefined) octets.push(Number(decimal) & 255);
      else octets.push(...Buffer.from(escaped ?? piece, 'utf8'));
  return Buffer.from(octets).toString('utf8');
}
