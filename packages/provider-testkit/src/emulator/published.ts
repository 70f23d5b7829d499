import type { DnsName } from '@zoneproof/dns';

/** The TXT values at a name as the vendor's name servers give them. */
export interface PublishedTxt {
  readonly name: DnsName;
  /** Logical values, unquoted, one character per octet; empty when the RRset is gone. */
  readonly values: readonly string[];
  /** Seconds; undefined when the RRset is gone. */
  readonly ttl: number | undefined;
}

/** A vendor's zones seen from outside its API. */
export interface EmulatedZones {
  /** What stands at the name now. */
  published(name: DnsName): PublishedTxt;
  /** Another writer adds a value, past the API. */
  plant(name: DnsName, value: string, ttl: number): void;
  /** Called after each change that reaches the name servers. */
  onPublish(listener: (change: PublishedTxt) => void): void;
}
