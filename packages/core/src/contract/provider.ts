import type { DnsTransport } from '@zoneproof/dns';
import type { Egress } from '../egress/index.ts';
import type { Capabilities } from './capabilities.ts';
import type { ChangeOutcome, Receipt, SyncState, TxtChange } from './change.ts';
import type { ProviderErrorKind } from './error.ts';
import type { SecretHandle, SecretRef } from './secret.ts';
import type { RecordTarget, Zone } from './zone.ts';

/**
 * One DNS service under one set of credentials.
 *
 * The host owns scheduling, batching, repeating, waiting, rate limits, the ledger, CNAME following and the self
 * check. A provider owns one API and nothing else: it never sleeps, repeats by itself, opens a socket of its own,
 * or keeps anything in memory that a restart would need.
 *
 * E1  Everything thrown and every outcome's error is a ProviderError.
 * E2  No error, log line or outcome holds a secret.
 * E3  Every await observes `call.signal`; a call aborted before sending is `failed`, after sending `unknown`.
 * E4  All traffic goes through `host.egress`; with an egress that refuses all, no socket is opened.
 * E5  A permit is taken before each request.
 * E6  A request that was refused or lost is not sent again within the call: one 503, one 429, one reset, one request.
 * E7  Nothing is taken from the environment of the process unless the block asks for ambient credentials.
 * E8  The kind of an error is that of its cause, and its message names it: see the bad days of the conformance suite.
 */
export interface DnsProvider {
  /**
   * Bring (name, value) pairs of one zone into the wanted state.
   *
   *   before   _acme-challenge 60 TXT "a" "b"
   *   input    present "c", absent "a"
   *   after    _acme-challenge 60 TXT "b" "c"
   *
   * A1  Values not named in `changes` stay, byte for byte, and so does the TTL of their RRset.
   * A2  Repeating a call is harmless: the second outcome is `unchanged`.
   * A3  Outcomes come in the order of `changes`, one each.
   * A4  Safe to call concurrently; inside one `writeScope` the host sends one call at a time.
   * A5  At most one optimistic write, one read and one corrected write in a call, or as many writes as capability
   *     `writeAttempts` says; a further refusal is `failed` with kind `conflict`.
   * A6  What was written before a restart can be removed after it.
   * A7  A value that the service reports as written can be found there: a NOERROR that changes nothing is `failed`.
   * A8  In model `slots`, `absent` sends nothing, and a value that is already live is not written again.
   * A9  Capability `compareAndSet`: a value that another writer adds between our read and our write survives.
   * Not promised: visibility on any server (the self check's business); room for a third value in model `slots`.
   *
   * `changes` are unique by (name, value) and no more than `batch.maxChanges`. What is thrown counts for every change:
   * as `unknown` when `details.sent` is true, else as `failed`.
   */
  apply(zone: Zone, changes: readonly TxtChange[], call: CallContext): Promise<readonly ChangeOutcome[]>;

  /**
   * All zones the credentials can see. A provider has this or `findZone`, whichever its block allows.
   *
   * Z3  Every page of the list.
   */
  listZones?(call: CallContext): Promise<readonly Zone[]>;

  /**
   * For services that cannot list zones, and for blocks that name their zone.
   *
   * Z1  The deepest zone that holds `target.name`, matched on a label boundary; `undefined` when there is none.
   * Z2  When a person has to act first (a CNAME missing), throws kind `action-required` with the record to create.
   */
  findZone?(target: RecordTarget, call: CallContext): Promise<Zone | undefined>;

  /**
   * Capability `sync`. One look, no loop.
   *
   * S1  A receipt of `apply` turns from `pending` to `synced`; where looking is forbidden it is `unknown` with the reason.
   */
  syncState?(receipt: Receipt, call: CallContext): Promise<SyncState>;

  /**
   * C1  Proves credentials and reachability without writing and never throws.
   */
  check(call: CallContext): Promise<readonly CheckItem[]>;

  /** Lets go of sockets and timers. */
  close?(): Promise<void>;
}

/** One finding of `check`. */
export interface CheckItem {
  readonly what: 'credentials' | 'reachable' | 'zones' | 'delegation' | 'clock';
  readonly result: 'ok' | 'failed' | 'warning' | 'unknown';
  /** One sentence: what was seen and, unless ok, what to do. */
  readonly detail: string;
  /** Of the error that the finding rests on; tells a throttled check from a service that is down. */
  readonly kind?: ProviderErrorKind;
  /** The egress refused the address that was to be connected to: nothing was asked there. */
  readonly denied?: boolean;
}

/** What the host lends to one call. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Epoch milliseconds at which `signal` fires, so that a provider can choose not to start. */
  readonly deadlineAt: number;
  /** Resolves when one more request may be sent. Takes from the first declared bucket unless one is named. */
  permit(bucket?: string, cost?: number): Promise<void>;
}

/** What the host lends to a provider for its life. */
export interface ProviderHost {
  /** For messages: `edgedns "prod" (Cloudflare)`. */
  readonly providerName: string;
  readonly egress: Egress;
  /** DNS through the same egress. */
  readonly dns: DnsTransport;
  readonly clock: Clock;
  readonly random: RandomBytes;
  secret(ref: SecretRef): SecretHandle;
  /** Something a person should know that is no error: a weak algorithm, a public acme-dns server. Said once each. */
  warn(message: string): void;
}

/** Epoch milliseconds. Time is an input everywhere. */
export interface Clock {
  now(): number;
}

/** Randomness is an input everywhere. */
export type RandomBytes = (length: number) => Uint8Array;

export type { Capabilities };
