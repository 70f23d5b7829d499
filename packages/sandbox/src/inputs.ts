import { randomBytes } from 'node:crypto';

/** The time, in epoch milliseconds, as an input: tests let years pass in no time. */
export interface Clock {
  now(): number;
}

/** Randomness as an input; `size` in octets. */
export type RandomBytes = (size: number) => Uint8Array;

export const systemClock: Clock = { now: () => Date.now() };
export const systemRandom: RandomBytes = (size) => randomBytes(size);

/** Text of `size` random octets in base64url, as tokens, nonces and passwords are written. */
export function randomText(random: RandomBytes, size: number): string {
  return Buffer.from(random(size)).toString('base64url');
}

/** A version 4 UUID (RFC 9562 5.4). */
export function randomUuid(random: RandomBytes): string {
  const octets = Buffer.from(random(16));
  octets[6] = (octets[6]! & 0x0f) | 0x40;
  octets[8] = (octets[8]! & 0x3f) | 0x80;
  const hex = octets.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** True in `percent` of 100 calls. */
export function chance(random: RandomBytes, percent: number): boolean {
  if (percent <= 0) return false;
  return (Buffer.from(random(4)).readUInt32BE() / 2 ** 32) * 100 < percent;
}
