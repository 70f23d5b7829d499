import type { TxtChange } from '@zoneproof/core';

/** One value of the zone: a TXT record at Cloudflare. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** Seconds; 1 is automatic. */
  readonly ttl: number;
}

export type NewRow = Omit<Row, 'id'>;

/** What one change asks of a batch. */
export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly row: NewRow }
  | { readonly kind: 'delete'; readonly ids: readonly string[] };

/**
 * The steps without a look at the zone: what shall be present is created, what shall be absent is deleted by its known
 * id. Undefined when an id is not known. Pure.
 */
export function stepsUnseen(
  changes: readonly TxtChange[],
  idOf: (change: TxtChange) => string | undefined,
): readonly Step[] | undefined {
  const steps = changes.map((change): Step | undefined => {
    if (change.state === 'present') return { kind: 'create', row: newRow(change, change.held.ttl) };
    const id = idOf(change);
    return id === undefined ? undefined : { kind: 'delete', ids: [id] };
  });
  return steps.every((step) => step !== undefined) ? steps : undefined;
}

/** The steps from what stands there to what is wanted. Pure. */
export function stepsFrom(rows: readonly Row[], changes: readonly TxtChange[]): readonly Step[] {
  return changes.map((change): Step => {
    const there = rows.filter((row) => row.name === change.name);
    const same = there.filter((row) => row.value === change.value);
    if (change.state === 'present')
      return same.length > 0 ? { kind: 'none' } : { kind: 'create', row: newRow(change, there[0]?.ttl) };
    // One value may stand there twice: with quotes and without.
    return same.length === 0 ? { kind: 'none' } : { kind: 'delete', ids: same.map(({ id }) => id) };
  });
}

function newRow({ name, value, ttl }: TxtChange, ttlThere: number | undefined): NewRow {
  return { name, value, ttl: ttlThere ?? ttl };
}
