import { type Clock, dispositionOf, type ProviderError, type Receipt } from '../contract/index.ts';
import type { BoundProvider, ProviderCalls } from '../writer/index.ts';

/**
 * How far the service is with publishing a change.
 *
 * synced   by its own word it is on all its servers
 * pending  to be asked again at `nextLookAt` (epoch milliseconds)
 * unknown  this will not be found out: the DNS alone has to tell
 */
export type SyncLook =
  | { readonly state: 'synced' }
  | { readonly state: 'pending'; readonly nextLookAt: number }
  | { readonly state: 'unknown'; readonly reason: string };

/** Asks services whether what they took has reached their servers. */
export interface SyncSignal {
  /**
   * Never throws and never waits for a time to come: before the next look is due it answers from memory. All values
   * of one batch have one receipt, and one request serves them all.
   */
  look(bound: BoundProvider, receipt: Receipt): Promise<SyncLook>;
}

export interface SyncSignalOptions {
  readonly clock: Clock;
  /** Shared with the record writer: looks count against the limits of the account. */
  readonly calls: ProviderCalls;
  /** Ends every look. */
  readonly signal: AbortSignal;
  /** Why a provider's signal cannot be used: told once, until it can be used again. */
  warn?(bound: BoundProvider, message: string): void;
}

// Cloud DNS and Akamai mostly need seconds, Route 53 up to a minute: about eight looks a batch.
const pauseMs = [1_000, 2_000, 4_000, 8_000];
const longestPauseMs = 10_000;
const callTimeoutMs = 10_000;
/** Receipts remembered; the oldest go first, and one that is still followed is asked about anew. */
const remembered = 10_000;
/** The share of an account's request rate that looks may take: the rest is for writes. */
const shareOfRate = 0.5;

interface Followed {
  looks: number;
  nextLookAt: number;
  /** `nextLookAt` is a turn among the receipts of the account. */
  hasTurn: boolean;
  underWay: Promise<SyncLook> | undefined;
  end: SyncLook | undefined;
}

export function createSyncSignal({ clock, calls, signal, warn }: SyncSignalOptions): SyncSignal {
  const receipts = new Map<string, Followed>();
  const freeAt = new Map<string, number>();
  const warned = new Set<string>();

  function followed(bound: BoundProvider, receipt: Receipt): Followed {
    const key = JSON.stringify([bound.account, receipt.kind, receipt.token]);
    const known = receipts.get(key);
    if (known !== undefined) return known;
    const fresh: Followed = { looks: 0, nextLookAt: 0, hasTurn: false, underWay: undefined, end: undefined };
    receipts.set(key, fresh);
    const [oldest] = receipts.keys();
    if (receipts.size > remembered && oldest !== undefined) receipts.delete(oldest);
    return fresh;
  }

  /** Fifty zones written together are fifty receipts: they are asked about one after the other. */
  function takeTurn({ account, capabilities }: BoundProvider, one: Followed, now: number): void {
    const perSecond = (capabilities.buckets[0]?.perSecond ?? Number.POSITIVE_INFINITY) * shareOfRate;
    const turnAt = Math.max(now, freeAt.get(account) ?? 0);
    freeAt.set(account, turnAt + 1_000 / perSecond);
    one.nextLookAt = Math.ceil(turnAt);
    one.hasTurn = true;
  }

  async function ask(bound: BoundProvider, receipt: Receipt, one: Followed): Promise<SyncLook> {
    one.hasTurn = false;
    try {
      const what = 'asking whether a change is published';
      const seen = await calls.run(
        bound,
        what,
        { operation: 'syncState', signal, timeoutMs: callTimeoutMs },
        async (call) => bound.provider.syncState?.(receipt, call),
      );
      if (seen === undefined) return { state: 'unknown', reason: `${bound.displayName} cannot tell` };
      if (seen.state === 'synced') return { state: 'synced' };
      if (seen.state === 'unknown') return seen;
    } catch (error) {
      const { kind, message } = error as ProviderError;
      const isHopeless = kind !== 'aborted' && !['retry', 'reapply'].includes(dispositionOf(kind));
      if (isHopeless) return { state: 'unknown', reason: message };
    }
    const pause = pauseMs[one.looks++] ?? longestPauseMs;
    one.nextLookAt = Math.max(clock.now() + pause, calls.limiter(bound).pausedUntil);
    return { state: 'pending', nextLookAt: one.nextLookAt };
  }

  function tellOnce(bound: BoundProvider, look: SyncLook): void {
    const { issuer, name } = bound.block;
    const key = `${issuer} ${name}`;
    if (look.state === 'synced') warned.delete(key);
    if (look.state !== 'unknown' || warned.has(key)) return;
    warned.add(key);
    const { reason } = look;
    warn?.(
      bound,
      `${bound.displayName} does not tell when a change is published, so the DNS alone is asked: ${reason}`,
    );
  }

  return {
    async look(bound, receipt) {
      const one = followed(bound, receipt);
      if (one.end !== undefined) return one.end;
      if (one.underWay !== undefined) return one.underWay;
      const now = clock.now();
      const { pausedUntil } = calls.limiter(bound);
      if (pausedUntil > now) return { state: 'pending', nextLookAt: Math.max(pausedUntil, one.nextLookAt) };
      if (one.nextLookAt <= now && !one.hasTurn) takeTurn(bound, one, now);
      if (one.nextLookAt > now) return { state: 'pending', nextLookAt: one.nextLookAt };
      one.underWay = ask(bound, receipt, one);
      const look = await one.underWay;
      one.underWay = undefined;
      if (look.state !== 'pending') one.end = look;
      tellOnce(bound, look);
      return look;
    },
  };
}
