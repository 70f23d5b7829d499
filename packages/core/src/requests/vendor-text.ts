const longest = 300;

/**
 * What a vendor says, made fit for a message of one line: control characters and markup gone, spaces gathered, at most
 * 300 characters. Only for fields that hold a sentence of the vendor's; never for a whole body.
 */
export function oneLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  const plain = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return plain.length > longest ? `${plain.slice(0, longest - 3)}...` : plain;
}
