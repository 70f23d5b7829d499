/** Writers for the few DER types of a PKCS #10 request (X.690). */
type Octets = Uint8Array;

export const sequence = (...parts: readonly Octets[]): Buffer => tagged(0x30, ...parts);
export const set = (...parts: readonly Octets[]): Buffer => tagged(0x31, ...parts);
export const octetString = (content: Octets): Buffer => tagged(0x04, content);
export const bitString = (content: Octets): Buffer => tagged(0x03, Buffer.of(0), content);
export const zero: Buffer = Buffer.of(0x02, 0x01, 0x00);
export const nil: Buffer = Buffer.of(0x05, 0x00);

/** Tag, length, content. */
export function tagged(tag: number, ...parts: readonly Octets[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

/** OBJECT IDENTIFIER of dotted text, e.g. `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function length(octets: number): Buffer {
  if (octets < 0x80) return Buffer.of(octets);
  if (octets < 0x100) return Buffer.of(0x81, octets);
  if (octets < 0x10000) return Buffer.of(0x82, octets >> 8, octets & 0xff);
  return Buffer.of(0x83, octets >> 16, (octets >> 8) & 0xff, octets & 0xff);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}
