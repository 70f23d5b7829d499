import type { RecordType } from '../codes.ts';
import type { DnsName } from '../name.ts';

/**
 * What was found about one link of a chain of trust: one RRset that the link before vouches for.
 *
 *   sound     a signature over the RRset is right and within its dates
 *   unsigned  the zone has no DS record, or none that is used any more: resolvers take its answers as they come
 *   broken    the chain says that there is a right signature, and there is none: validating resolvers, a CA's among
 *             them, answer SERVFAIL
 */
export type DnssecLink = SoundLink | UnsignedLink | BrokenLink;

interface Link {
  /** Owner and type of the RRset that was judged. */
  readonly name: DnsName;
  readonly type: RecordType;
  /** One sentence without a final stop. */
  readonly text: string;
}

export interface SoundLink extends Link {
  readonly state: 'sound';
  readonly keyTag: number;
  readonly algorithm: number;
  /** End of the signature, milliseconds since 1970. */
  readonly expiresAt: number;
  /** The wildcard that the answer was made from. That no closer name exists is not proved (RFC 4035 5.3.4). */
  readonly wildcard?: DnsName;
  /** Sentences about what works and should be changed. */
  readonly notes: readonly string[];
}

export interface UnsignedLink extends Link {
  readonly state: 'unsigned';
  readonly reason: 'no-ds' | 'old-algorithm' | 'unknown-algorithm';
}

export interface BrokenLink extends Link {
  readonly state: 'broken';
  readonly problem: DnssecProblem;
  /** What to do about it. */
  readonly advice: string;
}

export type DnssecProblem = keyof typeof adviceFor;

/** A link that is broken, with the advice that goes with its problem. */
export function broken(
  { name, type }: { readonly name: DnsName; readonly type: RecordType },
  problem: DnssecProblem,
  text: string,
): BrokenLink {
  return { state: 'broken', name, type, problem, text, advice: adviceFor[problem] };
}

const signAgain = 'sign the zone again';
const adviceFor = {
  'no-records': 'see why the servers of the zone do not answer with it',
  'no-signature': `${signAgain}, or remove its DS record from the parent until it is signed on all servers`,
  expired: `${signAgain}, and see why its signer stopped`,
  'not-yet-valid': 'correct the clock of the signer, or of this machine',
  'wrong-signer': `${signAgain} under its own name`,
  'wrong-labels': signAgain,
  algorithm: `${signAgain} with algorithm 13 (ECDSAP256SHA256)`,
  'no-key': 'publish the key that signs, or sign with a key that is published',
  'bad-key': 'replace the key',
  'bad-signature': `${signAgain}, and change its records through the signer only`,
  'too-many': 'remove the signatures and keys that are no longer used',
  'unsupported-type': 'verify an RRset of another type',
  'no-dnskey': 'publish the keys of the zone, or remove its DS record from the parent',
  'ds-mismatch':
    'put the DS record of a published key into the parent (at the registrar), or publish the old key again',
  'key-flags': 'put the DS record of a zone key that is not revoked into the parent (at the registrar)',
} as const;
