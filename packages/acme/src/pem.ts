/**
 * The CERTIFICATE blocks of a PEM text, each ending in a newline; undefined when there are other blocks too (RFC 8555
 * 7.4.2: a chain holds certificates only; anything else in it is not to reach a disk).
 */
export function pemCertificates(text: string): readonly string[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.match(/-----BEGIN /g) ?? [];
  return begun.length === blocks.length ? blocks.map((block) => `${block.replace(/\r/g, '')}\n`) : undefined;
}
