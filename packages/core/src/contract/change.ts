import type { DnsName } from '@zoneproof/dns';
import type { ProviderError } from './error.ts';

/** The wanted state of one value at one name: a state, not an action. */
export interface TxtChange {
  readonly state: 'present' | 'absent';
  /** Where the CNAME chain ended; always inside the zone of the call. */
  readonly name: DnsName;
  /**
   * The octets of the value, one character each (latin1), unquoted and not cut into strings: as `DnsRecord` of
   * `@zoneproof/dns` has them. Those of challenges are ASCII (RFC 8555 8.4); those of others may be anything.
   */
  readonly value: string;
  /**
   * Seconds; used when the RRset does not exist yet, and what the ledger says our values at `name` were written with.
   * An existing RRset keeps its TTL.
   */
  readonly ttl: number;
  /** What the ledger says we ourselves hold at `name` apart from this change, so that a provider can write without reading. */
  readonly held: { readonly values: readonly string[]; readonly ttl: number | undefined };
}

/**
 * What became of one change.
 *
 * changed    the zone was altered; `receipt` follows the change through the vendor's own propagation
 * unchanged  it was so already: a value that was there, an absent one that was not
 * failed     certainly not applied
 * unknown    the request left and no answer came; the host applies again
 */
export type ChangeOutcome =
  | { readonly status: 'changed'; readonly receipt?: Receipt }
  | { readonly status: 'unchanged' }
  | { readonly status: 'failed'; readonly error: ProviderError }
  | { readonly status: 'unknown'; readonly error: ProviderError };

/** The vendor's handle on a change in flight. JSON-safe, holds no secret, survives a restart. */
export interface Receipt {
  readonly kind: string;
  readonly token: string;
}

/** One look at the vendor's own propagation signal. */
export type SyncState =
  | { readonly state: 'pending' | 'synced' }
  | { readonly state: 'unknown'; readonly reason: string };
