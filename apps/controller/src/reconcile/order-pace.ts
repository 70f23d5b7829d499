import type { AcmeOrder } from '@zoneproof/acme';
import type { SelfCheck, SyncLook } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { OrderStatus } from '../resources/types.ts';
import type { Problem } from './problem.ts';
import type { Route } from './route.ts';

/**
 * What the process remembers of an Order between two looks at it: counters and times, and routes that can be found
 * again. Losing it in a restart costs repetition, never a value, a key or an account.
 */
export interface OrderPace {
  readonly routes: Map<DnsName, Route>;
  /** Changes by people (Services.changes) that the routes know of. */
  changes: number;
  /** Values that were published, by {@link valueKey}, with the time. */
  readonly publishedAt: Map<string, number>;
  /** Those of {@link publishedAt} of which only the ledger of an earlier process tells. */
  readonly inherited: Set<string>;
  /** Values that are being written now, by {@link valueKey}. */
  readonly publishing: Set<string>;
  /** How often values that had got lost were written once more. */
  rewrites: number;
  /** Domains whose values are not where they belong, or not any more: to be published again. */
  readonly moved: Set<string>;
  /** The CA's answer to newOrder, until it is stored with its authorizations. */
  placed: AcmeOrder | undefined;
  /** The order at the CA as it was last seen, where that is newer than what is stored. */
  acme: OrderStatus['acme'];
  /** PEM, read once for request and verification. */
  keyPem: Uint8Array | undefined;
  /** How following the provider's own signal ended, by {@link valueKey}. */
  readonly syncEnds: Map<string, Exclude<SyncLook, { readonly state: 'pending' }>>;
  nextSyncAt: number;
  /** Watches of the self check that go on for this Order, by their key. */
  readonly watches: Map<string, SelfCheck>;
  /** When to look without having been told of news. */
  nextLookAt: number;
  /** When the way to values that are not visible is searched again; 0 = not set. */
  lookAroundAt: number;
  polls: number;
  nextPollAt: number;
  /** The last thing that stood in the way. */
  obstacle:
    | { readonly problem: Problem; readonly tries: number; readonly retryAt: number; readonly changes: number }
    | undefined;
  /** Ledger entries that are being removed now. */
  readonly removing: Set<string>;
  removals: number;
  /** What stood in the way of a removal last. */
  removalObstacle: { readonly retryAt: number; readonly changes: number } | undefined;
}

export function newPace(): OrderPace {
  return {
    routes: new Map(),
    changes: 0,
    publishedAt: new Map(),
    inherited: new Set(),
    publishing: new Set(),
    rewrites: 0,
    moved: new Set(),
    placed: undefined,
    acme: undefined,
    keyPem: undefined,
    syncEnds: new Map(),
    nextSyncAt: 0,
    watches: new Map(),
    nextLookAt: 0,
    lookAroundAt: 0,
    polls: 0,
    nextPollAt: 0,
    obstacle: undefined,
    removing: new Set(),
    removals: 0,
    removalObstacle: undefined,
  };
}

/** Ends what the self check does for an Order that does not wait for it any more. */
export function endWatches({ watches }: OrderPace, needed: ReadonlySet<string> = new Set()): void {
  for (const [key, selfCheck] of watches) {
    if (needed.has(key)) continue;
    selfCheck.unwatch(key);
    watches.delete(key);
  }
}

export function valueKey(domain: string, value: string): string {
  return `${domain} ${value}`;
}

const pollDelaysMs = [50, 100, 200, 400, 800, 1_500, 3_000, 5_000];

/** When to ask the CA again after `polls` questions: quickly at first, every 10 s in the end, never before Retry-After. */
export function nextPollAt(polls: number, retryAfterMs: number | undefined, now: number): number {
  return now + Math.max(pollDelaysMs[polls] ?? 10_000, retryAfterMs ?? 0);
}
