import type { DnsName } from '@zoneproof/dns';

/** One address of one authoritative server. */
export interface AuthoritativeServer {
  readonly name: DnsName;
  readonly address: string;
}

/** Where a challenge name leads, found by asking authoritative servers only for the name itself. */
export interface Location {
  /** `_acme-challenge.www.example.com`. */
  readonly name: DnsName;
  /** The names passed, `name` first, the last being where the value has to be; length 1 without a CNAME. */
  readonly chain: readonly DnsName[];
  /** The last of `chain`. */
  readonly target: DnsName;
  /** The zone that holds `target`. */
  readonly zone: DnsName;
  /** Every address of every authoritative server of `zone`. */
  readonly servers: readonly AuthoritativeServer[];
  /** Authoritative servers of `zone` for which no address is known. */
  readonly unresolved?: readonly DnsName[];
}

/** What one server answered. */
export interface ServerEvidence {
  readonly server: DnsName;
  /** Empty when none is known. */
  readonly address: string;
  /**
   * has          authoritative, and every wanted value is there
   * lacks        authoritative, and at least one is not: vetoes
   * lame         answers, but not with authority (REFUSED, SERVFAIL, no AA)
   * unreachable  no usable answer in time
   */
  readonly finding: 'has' | 'lacks' | 'lame' | 'unreachable';
  readonly transport: 'udp' | 'tcp';
  readonly rttMs?: number;
  readonly rcode?: string;
  readonly aa?: boolean;
  /** Values seen, each shortened to 12 characters; at most 8. */
  readonly values?: readonly string[];
  /** Extended error text of the server (RFC 8914) or the reason why there is no answer. */
  readonly detail?: string;
}

/** One round of the self check over all servers. */
export interface Evidence {
  /**
   * visible      no reachable server lacks a value, and half of the name servers or more (at least one) have them all
   * missing      at least one reachable server lacks a value
   * unreachable  too few servers can be seen to have the values
   */
  readonly verdict: 'visible' | 'missing' | 'unreachable';
  /** Epoch milliseconds. */
  readonly at: number;
  readonly zone: DnsName;
  readonly target: DnsName;
  readonly servers: readonly ServerEvidence[];
  /** One sentence for people: what is missing where, and what to do. */
  readonly summary: string;
}

/** Why a name's location cannot be told. */
export type LocateProblem = 'no-resolver' | 'no-delegation' | 'cname-loop' | 'cname-dangling' | 'unreachable';

export class LocateError extends Error {
  readonly kind: LocateProblem;

  constructor(kind: LocateProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LocateError';
    this.kind = kind;
  }
}

/** Finds where a challenge's value belongs, and proves that it can be seen there. */
export interface SelfCheck {
  /** @throws LocateError */
  locate(name: DnsName, signal: AbortSignal): Promise<Location>;
  /** One round, bounded in time; never throws but for `signal`. */
  look(location: Location, values: readonly string[], signal: AbortSignal): Promise<Evidence>;
  /** Drops what is cached about a name's delegation, after a check that failed. */
  forget(name: DnsName): void;
}
