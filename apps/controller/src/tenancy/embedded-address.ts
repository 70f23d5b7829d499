import { isIPv6 } from 'node:net';

/**
 * The IPv4 addresses that an IPv6 address stands for where something on the way translates it, in dotted form: mapped and
 * compatible (RFC 4291 2.5.5), translated (RFC 2765 2.1), NAT64 by the well-known prefix (RFC 6052 2.1) and by prefixes
 * of 48 to 96 bits out of the local one (RFC 8215), 6to4 (RFC 3056 2), Teredo's client (RFC 4380 4), ISATAP (RFC 5214 6.1).
 * None for any other address. Networks may have NAT64 prefixes of their own, which nobody can see in an address.
 */
export function embeddedAddresses(address: string): readonly string[] {
  const words = wordsOf(address);
  if (words === undefined) return [];
  const isZero = (from: number, to: number): boolean => words.slice(from, to).every((word) => word === 0);
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0] = words;
  if (isZero(0, 5) && (w5 === 0xffff || (w5 === 0 && (w6 !== 0 || w7 > 1)))) return [dotted(w6, w7)];
  if (isZero(0, 4) && w4 === 0xffff && w5 === 0) return [dotted(w6, w7)];
  if (w0 === 0x64 && w1 === 0xff9b && w2 === 0 && isZero(2, 6)) return [dotted(w6, w7)];
  if (w0 === 0x64 && w1 === 0xff9b && w2 === 1) return localNat64(words);
  if (w0 === 0x2002) return [dotted(w1, w2)];
  if (w0 === 0x2001 && w1 === 0) return [dotted(w2, w3), dotted(w6 ^ 0xffff, w7 ^ 0xffff)];
  if ((w4 === 0 || w4 === 0x200) && w5 === 0x5efe) return [dotted(w6, w7)];
  return [];
}

/** RFC 6052 2.2: octet 8 is skipped, and what follows the address is zero. */
function localNat64([, , , w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0]: readonly number[]): readonly string[] {
  const found: string[] = [];
  if (w6 === 0 && w7 === 0) {
    if ((w5 & 0xff) === 0) found.push(dotted(w3, ((w4 & 0xff) << 8) | (w5 >> 8)));
    found.push(dotted(((w3 & 0xff) << 8) | (w4 & 0xff), w5));
  }
  if ((w6 & 0xff) === 0 && w7 === 0) found.push(dotted(((w4 & 0xff) << 8) | (w5 >> 8), ((w5 & 0xff) << 8) | (w6 >> 8)));
  return w6 === 0 && w7 === 0 ? found : [...found, dotted(w6, w7)];
}

/** The eight 16-bit words; undefined for what is no IPv6 address. */
function wordsOf(address: string): readonly number[] | undefined {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return undefined;
  // The URL parser writes it without dots; only `::` is left to spell out.
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  if (tail === undefined) return parse(head);
  const [left, right] = [parse(head), parse(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
