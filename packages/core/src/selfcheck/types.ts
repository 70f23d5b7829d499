import type { AnyDnsServer, DnsName, DnsTransportName } from '@zoneproof/dns';

/** One address of one authoritative server. */
export interface AuthoritativeServer {
  readonly name: DnsName;
  readonly address: string;
  /** Default 53; another one only where the server is a listed one. */
  readonly port?: number;
}

/**
 * auto           authoritative servers, and those of the listed servers that are authoritative themselves; when not one
 *                can be reached, the listed servers are asked for the value, after a wait
 * authoritative  authoritative servers and nobody else
 * listed-only    the listed servers and nobody else, after a wait
 */
export type SelfCheckMode = (typeof selfCheckModes)[number];
export const selfCheckModes = ['auto', 'authoritative', 'listed-only'] as const;

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
  /**
   * Where nobody but these can be asked: no authoritative server can be reached, or the mode wants none. `servers` is
   * empty then, and a CNAME at `name` is known of only where it was told to be there: the question for one that is
   * not would plant a negative answer.
   */
  readonly listed?: {
    readonly servers: readonly AnyDnsServer[];
    /** How long a resolver may keep that there is nothing: the zone's negative TTL, 60 s at most. */
    readonly waitMs: number;
    /** Why not the authoritative ones. */
    readonly reason: string;
  };
}

/** What one server answered. */
export interface ServerEvidence {
  /** The server's name; a listed one as it is listed. */
  readonly server: string;
  /** Empty when none is known. */
  readonly address: string;
  /**
   * has          authoritative, and every wanted value is there
   * lacks        authoritative, and at least one is not: vetoes
   * lame         answers, but not with authority (REFUSED, SERVFAIL, no AA)
   * unreachable  no usable answer in time
   */
  readonly finding: 'has' | 'lacks' | 'lame' | 'unreachable';
  readonly transport: DnsTransportName;
  readonly rttMs?: number;
  readonly rcode?: string;
  readonly aa?: boolean;
  /** The zone's SOA serial there, asked for when a value takes its time. */
  readonly serial?: number;
  /** Values seen, each shortened to 12 characters; at most 8. */
  readonly values?: readonly string[];
  /** The name is another one's alias there, so that no value can be. */
  readonly alias?: DnsName;
  /** It was not asked for these values: it lacks one that was written at the same time. */
  readonly inferred?: true;
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
  /** `resolver`: no authoritative server was asked, only the listed ones. */
  readonly by?: 'resolver';
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

/** Not one authoritative server of a zone answers at all. */
export class SilentZoneError extends LocateError {
  readonly zone: DnsName;

  constructor(zone: DnsName, message: string, cause?: unknown) {
    super('unreachable', message, cause);
    this.name = 'SilentZoneError';
    this.zone = zone;
  }
}

/** Finds where a challenge's value belongs, and proves that it can be seen there. */
export interface SelfCheck {
  /**
   * @param how.isDelegated the name is known to be an alias: listed servers may then be asked for that, where nobody
   *   else can be, since they find something
   * @throws LocateError
   */
  locate(name: DnsName, signal: AbortSignal, how?: { readonly isDelegated?: boolean }): Promise<Location>;
  /** One round, bounded in time; never throws but for `signal`. */
  look(location: Location, values: readonly string[], signal: AbortSignal): Promise<Evidence>;
  /**
   * What is known so far of values that somebody waits for. Never waits and never throws: the first call begins to
   * watch, in the background, and `wanted.changed` tells when there is news. See docs/self-check.md for the stages.
   */
  watch(wanted: Wanted): Sighting;
  /** Ends the watch of this key. */
  unwatch(key: string): void;
  /** Drops what is cached about a name's delegation, after a check that failed. */
  forget(name: DnsName): void;
}

/** Values at one name that somebody waits for. */
export interface Wanted {
  /** Whose they are: the same key again is the same watch, and another location or other values begin it anew. */
  readonly key: string;
  readonly location: Location;
  readonly values: readonly string[];
  /** Epoch milliseconds: when the service had taken the values, by its own signal where it gives one. */
  readonly presentedAt: number;
  /** Called once for each change of what `watch` would return, at most every 5 s while the verdict stays. */
  changed(): void;
}

/** What is known of wanted values by now. */
export interface Sighting {
  /**
   * `visible`: no reachable server lacks them, and a second round has confirmed it. Said once: whoever asks again has
   * not made use of it, and it is confirmed anew.
   */
  readonly state: 'waiting' | 'visible';
  /** Absent until every server has been asked, or has been seen to be silent. */
  readonly evidence?: Evidence;
}
