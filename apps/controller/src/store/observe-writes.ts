import type { Clock } from '@zoneproof/core';
import type { Kind } from '../resources/types.ts';

/** A write to where a store keeps things, for metrics. */
export interface StoreWrite {
  readonly kind: Kind;
  /** `conflict`: somebody else wrote in between; the change is made again on what is there now. */
  readonly outcome: 'written' | 'conflict' | 'failed';
  readonly durationMs: number;
}

export type OnWrite = (write: StoreWrite) => void;

/** Runs one write and tells of it. */
export type MeasureWrite = <T>(kind: Kind, write: () => Promise<T>) => Promise<T>;

/** Free of cost when nobody listens. */
export function measureWrites(clock: Clock, onWrite: OnWrite | undefined): MeasureWrite {
  if (onWrite === undefined) return (_kind, write) => write();
  return async (kind, write) => {
    const startedAt = clock.now();
    let outcome: StoreWrite['outcome'] = 'failed';
    try {
      const result = await write();
      outcome = 'written';
      return result;
    } finally {
      onWrite({ kind, outcome, durationMs: clock.now() - startedAt });
    }
  };
}
