import type { Clock } from '../contract/index.ts';
import { sharedController, untilAborted } from './abort.ts';
import { shareBudget } from './budget.ts';

/** Remembers what `load` found, and lets all who ask for one key meanwhile wait for the same work. */
export interface SharedCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, ttlMs: number): void;
  /**
   * The remembered value, or what `work` finds. The work goes on for as long as one of those who wait for it has not
   * given up, and is aborted after the last. Failures are not remembered.
   */
  load(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<{ readonly value: V; readonly ttlMs: number }>,
  ): Promise<V>;
  /** Forgets the value, and what work under way will find. */
  delete(key: string): void;
}

interface Flight<V> {
  readonly promise: Promise<V>;
  readonly controller: AbortController;
  waiting: number;
}

/** @param max entries kept; the oldest go first */
export function createSharedCache<V>(clock: Clock, max: number): SharedCache<V> {
  const entries = new Map<string, { readonly value: V; readonly until: number }>();
  const flights = new Map<string, Flight<V>>();

  function set(key: string, value: V, ttlMs: number): void {
    entries.delete(key);
    entries.set(key, { value, until: clock.now() + ttlMs });
    if (entries.size > max) entries.delete(entries.keys().next().value as string);
  }

  function get(key: string): V | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (clock.now() < entry.until) return entry.value;
    entries.delete(key);
    return undefined;
  }

  function take(key: string, asker: AbortSignal, work: Parameters<SharedCache<V>['load']>[2]): Flight<V> {
    const controller = sharedController();
    shareBudget(asker, controller.signal);
    const promise = work(controller.signal).then(
      ({ value, ttlMs }) => {
        if (flights.get(key) === flight) {
          flights.delete(key);
          set(key, value, ttlMs);
        }
        return value;
      },
      (error: unknown) => {
        if (flights.get(key) === flight) flights.delete(key);
        throw error;
      },
    );
    const flight: Flight<V> = { promise, controller, waiting: 0 };
    flights.set(key, flight);
    return flight;
  }

  return {
    get,
    set,
    async load(key, signal, work) {
      signal.throwIfAborted();
      const known = get(key);
      if (known !== undefined) return known;
      const flight = flights.get(key) ?? take(key, signal, work);
      flight.waiting += 1;
      try {
        return await untilAborted(flight.promise, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (flights.get(key) === flight) flights.delete(key);
          flight.controller.abort(signal.reason);
        }
      }
    },
    delete(key) {
      entries.delete(key);
      flights.delete(key);
    },
  };
}
