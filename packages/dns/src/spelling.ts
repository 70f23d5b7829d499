import { randomBytes } from 'node:crypto';
import type { DnsMessage } from './message.ts';
import type { DnsName } from './name.ts';

/**
 * A name with each letter in a case drawn at random (draft-vixie-dnsext-dns0x20). A server gives the question back as
 * it came, and who forges an answer has to guess one bit more for each letter.
 */
export function randomSpelling(name: DnsName, random: (length: number) => Uint8Array = randomBytes): string {
  const bits = random(Math.ceil(name.length / 8));
  let spelling = '';
  for (let at = 0; at < name.length; at++) {
    const upper = ((bits[at >> 3] ?? 0) >> (at & 7)) & 1;
    spelling += upper ? name[at]!.toUpperCase() : name[at];
  }
  return spelling;
}

/** True when the question came back in its letter case, or when the server left it out. */
export function keepsSpelling({ questions: [question] }: DnsMessage, spelling: string): boolean {
  return question === undefined || (question.spelling ?? question.name) === spelling;
}
