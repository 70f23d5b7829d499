import type { Zone } from '@zoneproof/core';

/** Ids of records that this process made, so that it need not look for them. May be forgotten or wrong at any time. */
export interface RowIds {
  find(zone: Zone, name: string, value: string): string | undefined;
  keep(zone: Zone, name: string, value: string, id: string): void;
  forget(zone: Zone, name: string, value: string): void;
}

const most = 10_000;

export function createRowIds(): RowIds {
  const ids = new Map<string, string>();
  const key = (zone: Zone, name: string, value: string): string => `${zone.id} ${name} ${value}`;
  return {
    find: (...row) => ids.get(key(...row)),
    keep(zone, name, value, id) {
      ids.set(key(zone, name, value), id);
      const [oldest] = ids.keys();
      if (ids.size > most && oldest !== undefined) ids.delete(oldest);
    },
    forget: (...row) => void ids.delete(key(...row)),
  };
}
