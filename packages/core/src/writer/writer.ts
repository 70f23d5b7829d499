import type { DnsName } from '@zoneproof/dns';
import type { ProviderError, Receipt, Zone } from '../contract/index.ts';
import type { BoundProvider } from './bound-provider.ts';

/** What one owner wants of one zone: all of `records` in one state. */
export interface WriteRequest {
  /** `namespace/order-name`. */
  readonly owner: string;
  readonly provider: BoundProvider;
  readonly zone: Zone;
  readonly state: 'present' | 'absent';
  /** They travel in one batch where the declared limits allow it. */
  readonly records: readonly { readonly name: DnsName; readonly value: string }[];
  /** Stops the waiting. Cleaning up passes a signal of its own, not that of the order. */
  readonly signal: AbortSignal;
}

/**
 * What became of one record of a request.
 *
 * done     the zone is as wanted; `changed` is false when it was so before. `absent`: crossed out of the ledger
 * waiting  model `slots`: a write now could evict a value that is still needed; `onSlotFree` tells when to ask again
 * failed   not confirmed. The ledger entry stays, so cleaning up covers it. `retryAt` (epoch milliseconds): when
 *          trying again makes sense; without it a person or a Secret has to change first, or the request was aborted
 */
export type WriteOutcome =
  | { readonly status: 'done'; readonly changed: boolean; readonly receipt?: Receipt }
  | { readonly status: 'waiting'; readonly reason: string }
  | { readonly status: 'failed'; readonly error: ProviderError; readonly retryAt?: number };

/** Something the writer did that metrics and logs want to know. */
export type WriterEvent =
  | {
      readonly type: 'applied';
      /** The block's key. */
      readonly provider: string;
      readonly account: string;
      readonly zone: DnsName;
      readonly changes: number;
      readonly durationMs: number;
      /** How many outcomes of each status. */
      readonly outcomes: Readonly<Record<'changed' | 'unchanged' | 'failed' | 'unknown', number>>;
    }
  | {
      readonly type: 'repeated';
      /** The block's key. */
      readonly provider: string;
      readonly account: string;
      readonly zone: DnsName;
      readonly changes: number;
      readonly why: 'conflict' | 'unknown' | 'bisection';
    };

/**
 * Brings TXT values into zones: gathers requests per account and zone for a moment, writes the ledger first, keeps to
 * the declared limits, and repeats what is worth repeating at once.
 */
export interface RecordWriter {
  /** Settles with one outcome per record, in their order; never rejects. */
  write(request: WriteRequest): Promise<readonly WriteOutcome[]>;
  /** Called with an owner whose request was `waiting`, when asking again makes sense. */
  onSlotFree(listener: (owner: string) => void): void;
  /** Aborts what is under way; waiters get `failed` with kind `aborted`. */
  close(): Promise<void>;
}
