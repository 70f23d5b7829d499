import { parseTxt } from '@zoneproof/dns';

/**
 * The value of a content as Cloudflare shows it, one character per octet: quoted strings, or as some client wrote it
 * without quotes.
 *
 * https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/#txt
 */
export function txtValueOf(content: string): string {
  const strings = content.startsWith('"') ? parseTxt(content) : undefined;
  return strings?.join('') ?? Buffer.from(content, 'utf8').toString('latin1');
}
