/** A message with its length before it, as it travels over a stream (RFC 1035 4.2.2). */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(message.length + 2);
  framed.writeUInt16BE(message.length);
  framed.set(message, 2);
  return framed;
}

/** Takes the messages of a stream apart. Holds one unfinished message, so at most 65 535 octets. */
export class FrameReader {
  readonly #prefix = Buffer.alloc(2);
  #message = Buffer.alloc(0);
  /** Octets of the prefix and the message under way. */
  #received = 0;

  /** The messages that `chunk` completes; what is not asked for is not read. */
  *read(chunk: Uint8Array): Generator<Buffer> {
    let at = 0;
    while (at < chunk.length) {
      while (this.#received < 2 && at < chunk.length) this.#prefix[this.#received++] = chunk[at++] as number;
      if (this.#received < 2) return;
      if (this.#received === 2) this.#message = Buffer.alloc(this.#prefix.readUInt16BE());
      const taken = Math.min(this.#message.length - (this.#received - 2), chunk.length - at);
      this.#message.set(chunk.subarray(at, at + taken), this.#received - 2);
      this.#received += taken;
      at += taken;
      if (this.#received - 2 < this.#message.length) return;
      const message = this.#message;
      this.#message = Buffer.alloc(0);
      this.#received = 0;
      yield message;
    }
  }

  /** `after 4 of 80 octets of its answer`, for what ended too soon. */
  progress(): string {
    if (this.#received < 2) return 'before its answer';
    return `after ${this.#received - 2} of ${this.#message.length} octets of its answer`;
  }
}
