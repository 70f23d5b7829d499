import { chance, type RandomBytes, randomText } from '../inputs.ts';

/** Anti-replay nonces (RFC 8555 6.5): each is good for one request, and a settable share of the good ones is refused. */
export interface Nonces {
  issue(): string;
  /** True once per issued nonce; false for unknown, used and unlucky ones. The nonce is spent in every case. */
  redeem(nonce: string): boolean;
}

// Far more than any client pools; the oldest go first, so that HEAD requests alone cannot fill the memory.
const maxOutstanding = 50_000;

export function createNonces(random: RandomBytes, rejectPercent: () => number): Nonces {
  const outstanding = new Set<string>();
  return {
    issue() {
      const nonce = randomText(random, 16);
      outstanding.add(nonce);
      if (outstanding.size > maxOutstanding) {
        for (const oldest of outstanding) {
          outstanding.delete(oldest);
          break;
        }
      }
      return nonce;
    },
    redeem: (nonce) => outstanding.delete(nonce) && !chance(random, rejectPercent()),
  };
}
