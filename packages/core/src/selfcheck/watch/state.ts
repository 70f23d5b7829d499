import type { DnsName, SoaData } from '@zoneproof/dns';
import type { AskedServer } from '../asked-server.ts';
import type { Sought } from '../finding.ts';
import type { ServerEvidence, Wanted } from '../types.ts';

/** Everything that is known of the values that are wanted in one zone, at one set of servers. */
export interface ZoneState {
  readonly zone: DnsName;
  readonly sources: readonly Source[];
  /** Name servers without a known address. */
  readonly unresolved: readonly DnsName[];
  readonly rules: Rules;
  /** By the second in which they were presented, oldest first. */
  readonly cohorts: Map<number, Cohort>;
  readonly byTarget: Map<DnsName, Set<Watched>>;
  /** Seen everywhere, and to be confirmed or being confirmed. */
  readonly settling: Set<Watched>;
  /** The zone's SOA as a server told it last. */
  soa: SoaData | undefined;
  /** Serials are asked for then, when a value is missing somewhere. Epoch milliseconds, as all times here. */
  serialsAt: number;
}

/** How one sort of servers is asked. */
export interface Rules {
  /** The next look at a value that was not there after `looks` of them. */
  nextLookAt(looks: number, presentedAt: number, now: number): number;
  /** Between the last server's first sight and the confirmation; undefined: none. */
  readonly confirmAfterMs: number | undefined;
  /** Instead, where a server has shown a value and then lacked it. */
  readonly confirmFlickeringAfterMs: number;
  readonly asksSerials: boolean;
  /** Servers that give no usable answer do not stand in the way, even if none does. */
  readonly maySayNothing: boolean;
}

/** One address of one server. */
export interface Source {
  readonly index: number;
  readonly server: AskedServer;
  /** Set while it gives no answer at all. Then one question at a time tells whether it does again. */
  silent: ServerEvidence | undefined;
  /** When the last question without an answer ended. */
  silentAt: number;
  probeAt: number;
  probing: boolean;
  /** When the latest question was sent that was answered. */
  answeredAt: number;
  /** A value that it had shown was gone at the next question. */
  flickers: boolean;
  serial: number | undefined;
  inFlight: number;
  /** Questions that it may be sent at once, as of `tokensAt`. */
  tokens: number;
  tokensAt: number;
  /** When the last questions for values that were not there were sent. */
  misses: readonly number[];
}

/**
 * Values presented in the same second, most of them by one write: where one of them cannot be seen, the others are not
 * asked for.
 */
export interface Cohort {
  readonly second: number;
  readonly presentedAt: number;
  readonly members: Set<Watched>;
  /** One for each source. */
  readonly lanes: readonly Lane[];
}

/** A cohort at one source. */
export interface Lane {
  /** Members that the source does not show, by its last answer to each. */
  readonly pending: Set<Watched>;
  looks: number;
  nextLookAt: number;
  /** A scout is under way. */
  asking: boolean;
  /** What the last scout found. */
  last: ServerEvidence['finding'] | undefined;
  /** Members whose last question is older are asked each for itself. */
  openedAt: number;
}

/** The values of one watcher at one target. */
export interface Watched {
  /** As it was said last. */
  wanted: Wanted;
  readonly sought: Sought;
  readonly cohort: Cohort;
  /** The last answer of each source to a question for this target. */
  readonly rows: (ServerEvidence | undefined)[];
  /** When each source was last asked; 0 = never. */
  readonly askedAt: number[];
  readonly asking: boolean[];
  /** When no reachable server lacked the values any more. */
  passedAt: number | undefined;
  confirmAt: number;
  /** Since when they are confirmed. */
  visibleAt: number | undefined;
  /** The watcher was told so. */
  isHandedOut: boolean;
  /** What there is to say by now; undefined also while all was seen once and is not confirmed. */
  news: News | undefined;
  /** What the watcher knows: that, and what the servers show. */
  told: { readonly news: News; readonly picture: string } | undefined;
  toldAt: number;
}

export type News = 'visible' | 'missing' | 'unreachable';

/** One question to be sent now. */
export type Question =
  /** For one value in the place of its cohort. */
  | { readonly for: 'scout' | 'verify' | 'confirm' | 'probe'; readonly source: Source; readonly watched: Watched }
  | { readonly for: 'serial'; readonly source: Source; readonly watched?: never };

export function newZoneState(
  zone: DnsName,
  servers: readonly AskedServer[],
  unresolved: readonly DnsName[],
  rules: Rules,
): ZoneState {
  return {
    zone,
    sources: servers.map((server, index) => ({
      index,
      server,
      silent: undefined,
      silentAt: 0,
      probeAt: 0,
      probing: false,
      answeredAt: 0,
      flickers: false,
      serial: undefined,
      inFlight: 0,
      tokens: burst,
      tokensAt: 0,
      misses: [],
    })),
    unresolved,
    rules,
    cohorts: new Map(),
    byTarget: new Map(),
    settling: new Set(),
    soa: undefined,
    serialsAt: 0,
  };
}

/** Questions a second to one address, and how many of them at once: each value is verified and confirmed once. */
export const perSecond = 200;
export const burst = 200;
/** Questions a second to one address for values that are not there: servers limit such answers (BIND's RRL). */
export const missesPerSecond = 8;
/** Questions under way at one address. */
export const maxInFlight = 64;
