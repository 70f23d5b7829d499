import type { LedgerEntry } from './ledger.ts';

/**
 * The rule for services of model `slots` (acme-dns): a name has `max` rows, a write takes the place of the row with
 * the oldest time, and times are whole seconds, so that rows of one second have no order. A new value is written only
 * when it cannot take the place of a value that is still needed:
 *
 *   open                  wanted   plan
 *   -                     a        write
 *   -                     a, b     write both; both may be evicted by the next write
 *   a                     b        write; a may be evicted by the next write
 *   a evictable, b        c        wait until a is settled
 *   b                     c        write: c takes the row that a had
 *
 * All of `wanted` go or none. Values that are open already may be asked for again at any time: the provider looks
 * first and writes only what is not there.
 */
export type SlotPlan =
  | {
      readonly action: 'write';
      /** To be recorded, durably, before the first request: new entries and those whose `evictable` changed. */
      readonly record: readonly LedgerEntry[];
      /** All open entries of the name once that is done. */
      readonly open: readonly LedgerEntry[];
    }
  /** settle: until an open value is crossed out; moment: until the last write lies two seconds back. */
  | { readonly action: 'wait'; readonly until: 'settle' | 'moment' }
  | { readonly action: 'refuse' };

/** Rows written less than this apart may carry the same second. */
export const slotOrderMs = 2_000;

/**
 * `open` and `wanted` are of one name; `recent` tells that the last write at it was less than {@link slotOrderMs} ago,
 * or goes out in the same batch.
 */
export function planSlots(
  open: readonly LedgerEntry[],
  wanted: readonly LedgerEntry[],
  max: number,
  recent: boolean,
): SlotPlan {
  if (countValues(wanted) > max) return { action: 'refuse' };
  const entries = new Map(open.map((entry) => [entry.id, entry]));
  let justWritten = recent;
  for (const entry of wanted) {
    const present = [...entries.values()];
    const same = present.filter((other) => other.value === entry.value);
    const others = present.filter((other) => other.value !== entry.value);
    if (same.length === 0 && (others.some((other) => other.evictable) || countValues(others) >= max))
      return { action: 'wait', until: open.length > 0 ? 'settle' : 'moment' };
    if (!entries.has(entry.id)) same.push(entry);
    entries.set(entry.id, entries.get(entry.id) ?? entry);
    // A repeated value may turn out to be written again, so it too makes the others the older ones.
    const older = justWritten || same.some((other) => other.evictable) ? [...others, ...same] : others;
    for (const other of older) if (!other.evictable) entries.set(other.id, { ...other, evictable: true });
    justWritten = true;
  }
  const before = new Map(open.map((entry) => [entry.id, entry]));
  const after = [...entries.values()];
  return { action: 'write', record: after.filter((entry) => before.get(entry.id) !== entry), open: after };
}

function countValues(entries: readonly LedgerEntry[]): number {
  return new Set(entries.map((entry) => entry.value)).size;
}
