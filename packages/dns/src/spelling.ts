import type { DnsMessage } from './message.ts';
import type { DnsName } from './name.ts';

/**
 * A name with each letter in the case that its bit says (draft-vixie-dnsext-dns0x20). A server gives the question back
 * as it came, and who forges an answer has to guess one random bit more for each letter.
 */
export function spell(name: DnsName, bits: Uint8Array): string {
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
