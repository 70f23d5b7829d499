import type { DnsName } from '@zoneproof/dns';

/** Which provider block a value was written through: references only, so that a restart can bind it again. */
export interface ProviderBlock {
  /** The Issuer that declares it, as `Kind/namespace/name`. */
  readonly issuer: string;
  /** The provider's `name` in that Issuer. */
  readonly name: string;
  /** The block's key: `rfc2136`. */
  readonly key: string;
  /** The block's fields as declared; Secrets are references. */
  readonly config: object;
}

/** One TXT value that we wrote or are about to write. */
export interface LedgerEntry {
  /** The same for the same (owner, account, zone, name, value): a repeated intent is one entry. */
  readonly id: string;
  /** Who wants it, as `namespace/order-name`. */
  readonly owner: string;
  readonly provider: ProviderBlock;
  /** `key:account(config)`. */
  readonly account: string;
  readonly zone: { readonly id: string; readonly name: DnsName };
  readonly name: DnsName;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
  /** Epoch milliseconds of the first intent. */
  readonly since: number;
  /**
   * Model `slots` only: the next write at this name may evict this value, since a later write (or one in the same
   * second, which the service cannot order) took the newest place.
   */
  readonly evictable?: boolean;
}

/**
 * The write-ahead list of our TXT values. A value is recorded, durably, before the first request that may write it,
 * and crossed out only when its absence was confirmed; so after a crash at any instruction the list holds every value
 * that may be in a zone.
 */
export interface Ledger {
  /** Durable when it resolves. Recording an id again replaces that entry. */
  record(entries: readonly LedgerEntry[]): Promise<void>;
  /** Crosses out; durable when it resolves. Unknown ids are ignored. */
  settle(ids: readonly string[]): Promise<void>;
  /** Every open entry at one name of one account's zone. Synchronous: an index in memory. */
  held(account: string, zoneId: string, name: DnsName): readonly LedgerEntry[];
}
