import type { RecordTarget } from '@zoneproof/core';

/**
 * How far a value is.
 *
 * asked    its owner wants it and has no `done` yet, or is not told yet that it is published
 * held     its owner wants it and got `done` for it: it has to be there
 * leaving  its owner wants it away
 * gone     its owner got `done` for that: it must not be there
 */
export type ClaimState = 'asked' | 'held' | 'leaving' | 'gone';

/** One value of one host. */
export interface Claim {
  readonly host: string;
  readonly value: string;
  state: ClaimState;
}

/** A name, and what ought to stand there. */
export class Place {
  readonly target: RecordTarget;
  readonly claims: Claim[] = [];
  /** Values of others that stand there for good. */
  readonly foreign = new Set<string>();
  /** Of others too, and perhaps not there yet. */
  readonly expected = new Set<string>();
  /** Seconds; where a foreign value stood first, its TTL, which has to stay. */
  ttl: number | undefined;
  /** Told once each. */
  readonly told = new Set<string>();

  constructor(target: RecordTarget) {
    this.target = target;
  }

  claim(host: string, value: string): Claim {
    const claim: Claim = { host, value, state: 'asked' };
    this.claims.push(claim);
    return claim;
  }
}
