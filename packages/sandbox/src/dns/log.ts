import type { DnsName, DnsServer, Rcode } from '@zoneproof/dns';

export interface QueryEntry {
  readonly name: DnsName;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
  readonly server: DnsServer;
}

export interface UpdateEntry {
  readonly zone: string;
  /** Records in the update section. */
  readonly records: number;
  /** What became of it. The answer differs where a fault is switched on. */
  readonly rcode: Rcode;
  /** The key that signed it, when the signature was good. */
  readonly key: DnsName | undefined;
}

const limit = 10_000;

/** Adds an entry; beyond 10 000 the oldest goes, so that long runs stay small. */
export function appendLog<T>(entries: T[], entry: T): void {
  entries.push(entry);
  if (entries.length > limit) entries.shift();
}
