import type { TxtChange } from '@zoneproof/core';
import type { NewRow, Row } from './rows.ts';

/** What one change asks of a batch. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly row: NewRow }
  | { readonly kind: 'delete'; readonly rows: readonly Row[] };

/**
 * The steps without a look at the zone: Cloudflare refuses to create what is there already. Undefined when something
 * shall go: its id has to be looked up, since whoever gives a record another content leaves it its id. Pure.
 */
export function stepsUnseen(changes: readonly TxtChange[]): readonly Step[] | undefined {
  if (changes.some(({ state }) => state === 'absent')) return undefined;
  return changes.map((change) => ({ kind: 'create', row: newRow(change, change.held.ttl) }));
}

/** The steps from what stands there to what is wanted. Pure. */
export function stepsFrom(rows: readonly Row[], changes: readonly TxtChange[]): readonly Step[] {
  return changes.map((change): Step => {
    const there = rows.filter((row) => row.name === change.name);
    const same = there.filter((row) => row.value === change.value);
    if (change.state === 'present')
      return same.length > 0 ? { kind: 'none' } : { kind: 'create', row: newRow(change, there[0]?.ttl) };
    // One value may stand there twice: with quotes and without.
    return same.length === 0 ? { kind: 'none' } : { kind: 'delete', rows: same };
  });
}

function newRow({ name, value, ttl }: TxtChange, ttlThere: number | undefined): NewRow {
  return { name, value, ttl: ttlThere ?? ttl };
}
