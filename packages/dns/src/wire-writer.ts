import { DnsEncodeError } from './message.ts';

/** Longest DNS message there is: its length has to fit two octets over TCP (RFC 1035 4.2.2). */
export const maxMessageOctets = 65_535;

/** Writes the parts that every message is made of, into a buffer that grows. Throws DnsEncodeError. */
export class WireWriter {
  #buffer = Buffer.alloc(512);
  #length = 0;

  /** Room for `length` octets; returns the buffer to write them to and where. */
  reserve(length: number): { readonly buffer: Buffer; readonly start: number } {
    const start = this.#length;
    const needed = start + length;
    if (needed > maxMessageOctets) throw new DnsEncodeError(`it has more than ${maxMessageOctets} octets`);
    if (needed > this.#buffer.length) {
      const larger = Buffer.alloc(Math.min(maxMessageOctets, Math.max(needed, this.#buffer.length * 2)));
      this.#buffer.copy(larger, 0, 0, start);
      this.#buffer = larger;
    }
    this.#length = needed;
    return { buffer: this.#buffer, start };
  }

  u8(value: number): void {
    const { buffer, start } = this.reserve(1);
    buffer[start] = inRange(value, 0xff);
  }

  u16(value: number): void {
    const { buffer, start } = this.reserve(2);
    buffer.writeUInt16BE(inRange(value, 0xffff), start);
  }

  u32(value: number): void {
    const { buffer, start } = this.reserve(4);
    buffer.writeUInt32BE(inRange(value, 0xffff_ffff), start);
  }

  u48(value: number): void {
    const { buffer, start } = this.reserve(6);
    buffer.writeUIntBE(inRange(value, 0xffff_ffff_ffff), start, 6);
  }

  octets(octets: Uint8Array): void {
    const { buffer, start } = this.reserve(octets.length);
    buffer.set(octets, start);
  }

  /** Uncompressed, which RFC 8945 and RFC 3597 want in places and which is right in all. */
  name(name: string): void {
    const before = this.#length;
    if (name !== '') for (const label of name.split('.')) this.#label(label, name);
    this.octets(rootLabel);
    if (this.#length - before > 255) throw new DnsEncodeError(`"${name}" has more than 255 octets`);
  }

  /** Writes the two-octet length of what `write` appends in front of it. */
  measured(write: () => void): void {
    const { start } = this.reserve(2);
    write();
    this.#buffer.writeUInt16BE(this.#length - start - 2, start);
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #label(label: string, name: string): void {
    const raw = label.includes('\\') ? label.replace(/\\(\d{3})/g, unescapeOctet) : label;
    if (raw === '' || raw.length > 63) throw new DnsEncodeError(`"${name}" has a label of ${raw.length} octets`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of the octets.
    if (/[^\u0000-\u00ff]/.test(raw)) throw new DnsEncodeError(`"${name}" holds characters that are no octets`);
    const { buffer, start } = this.reserve(raw.length + 1);
    buffer[start] = raw.length;
    buffer.write(raw, start + 1, 'latin1');
  }
}

const rootLabel = Uint8Array.of(0);

function unescapeOctet(_escape: string, digits: string): string {
  return String.fromCharCode(Number(digits));
}

function inRange(value: number, max: number): number {
  if (!Number.isInteger(value) || value < 0 || value > max) throw new DnsEncodeError(`${value} is not in 0..${max}`);
  return value;
}
