import { DnsDecodeError } from './message.ts';
import type { DnsName } from './name.ts';

/** Reads the parts that every message is made of. Every step checks its bounds and throws DnsDecodeError. */
export class WireReader {
  readonly wire: Buffer;
  offset = 0;
  /** What compression pointers lead to, by offset. */
  readonly #suffixes = new Map<number, { readonly name: string; readonly octets: number }>();
  // An honest message spells few octets of names twice. A hostile one has thousands of names point into one another.
  #budget: number;

  constructor(wire: Uint8Array) {
    this.wire = Buffer.isBuffer(wire) ? wire : Buffer.from(wire.buffer, wire.byteOffset, wire.byteLength);
    this.#budget = 4 * wire.length + 4096;
  }

  fail(problem: string): never {
    throw new DnsDecodeError(problem, this.offset);
  }

  /** Steps over `length` octets and returns where they start. */
  take(length: number): number {
    const start = this.offset;
    if (start + length > this.wire.length) this.fail(`${length} octets wanted, ${this.wire.length - start} left`);
    this.offset = start + length;
    return start;
  }

  /** Where the next `length` octets start, without stepping over them. */
  peek(length: number): number {
    const start = this.take(length);
    this.offset = start;
    return start;
  }

  u8(): number {
    return this.wire[this.take(1)] as number;
  }

  u16(): number {
    return this.wire.readUInt16BE(this.take(2));
  }

  u32(): number {
    return this.wire.readUInt32BE(this.take(4));
  }

  u48(): number {
    return this.wire.readUIntBE(this.take(6), 6);
  }

  /** A copy, so that a small value does not keep a large message alive. */
  octets(length: number): Uint8Array {
    const start = this.take(length);
    return Uint8Array.from(this.wire.subarray(start, start + length));
  }

  name(): DnsName {
    const { wire } = this;
    let at = this.offset;
    let end = -1;
    let lowest = at;
    let octets = 1;
    let name = '';
    const jumps: Jump[] = [];
    for (;;) {
      const head = wire[at];
      if (head === undefined) this.fail('a name runs over the end');
      if (head === 0) break;
      if (head < 0x40) {
        const labelEnd = at + 1 + head;
        if (labelEnd > wire.length) this.fail('a label runs over the end');
        this.#spend(head + 1);
        octets += head + 1;
        if (octets > 255) this.fail('a name of more than 255 octets');
        name = join(name, readLabel(wire, at + 1, labelEnd));
        at = labelEnd;
      } else if (head >= 0xc0) {
        const low = wire[at + 1];
        if (low === undefined) this.fail('a compression pointer runs over the end');
        const target = ((head & 0x3f) << 8) | low;
        if (target >= lowest) this.fail('a compression pointer that does not lead back'); // RFC 1035 4.1.4; no loops
        this.#spend(2);
        if (end === -1) end = at + 2;
        const known = this.#suffixes.get(target);
        if (known !== undefined) {
          octets += known.octets - 1;
          if (octets > 255) this.fail('a name of more than 255 octets');
          name = join(name, known.name);
          break;
        }
        jumps.push({ target, octets, length: name.length });
        lowest = target;
        at = target;
      } else this.fail('a label of unknown form');
    }
    this.offset = end === -1 ? at + 1 : end;
    for (const { target, octets: before, length } of jumps)
      this.#suffixes.set(target, { name: name.slice(length && length + 1), octets: octets - before + 1 });
    return name as DnsName;
  }

  /**
   * The name that stands from `start` to here, in its own letter case; undefined when that is lower case or the name is
   * compressed, which at the start of a message it cannot be.
   */
  spelling(start: number): string | undefined {
    const { wire } = this;
    if (!/[A-Z]/.test(wire.toString('latin1', start, this.offset))) return undefined;
    let spelling = '';
    for (let at = start; at < this.offset; ) {
      const head = wire[at] as number;
      if (head >= 0xc0) return undefined;
      spelling = join(spelling, escaped(wire.toString('latin1', at + 1, at + 1 + head)));
      at += head + 1;
    }
    return spelling;
  }

  /** Steps over a name without following its pointer. */
  skipName(): void {
    for (;;) {
      const head = this.u8();
      if (head === 0) return;
      if (head < 0x40) this.take(head);
      else if (head >= 0xc0) {
        this.take(1);
        return;
      } else this.fail('a label of unknown form');
    }
  }

  #spend(octets: number): void {
    this.#budget -= octets;
    if (this.#budget < 0) this.fail('names that point into one another too often');
  }
}

function join(name: string, rest: string): string {
  if (name === '') return rest;
  return rest === '' ? name : `${name}.${rest}`;
}

/** A pointer that was followed, and how much of the name stood before it. */
interface Jump {
  readonly target: number;
  readonly octets: number;
  readonly length: number;
}

const plainLabel = /^[a-z0-9_*-]+$/;

function readLabel(wire: Buffer, start: number, end: number): string {
  const label = wire.toString('latin1', start, end);
  if (plainLabel.test(label)) return label;
  return escaped(label).toLowerCase();
}

function escaped(label: string): string {
  return label.replace(/[^!-~]|[.\\]/g, escapeOctet);
}

function escapeOctet(octet: string): string {
  return `\\${octet.charCodeAt(0).toString().padStart(3, '0')}`;
}
