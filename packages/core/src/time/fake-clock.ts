import type { Clock } from '../contract/index.ts';
import type { TimerHandle, Timers } from './timers.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it on. */
export class FakeClock implements Clock, Timers {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(now = 1_000_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms: number): TimerHandle {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#timers.delete(handle as Timer);
  }

  /** Timers that were set and neither ran nor were cleared. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on; every timer on the way runs at its own instant, with all promises settled before and after. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
      await settled();
    }
    this.#now = end;
  }

  /** Runs timers, earliest first, until `promise` settles. @throws when nothing is left that could settle it */
  async until<T>(promise: Promise<T>): Promise<T> {
    let open = true;
    const close = () => {
      open = false;
    };
    promise.then(close, close);
    await settled();
    while (open) {
      const next = this.#next(Number.POSITIVE_INFINITY);
      if (next === undefined) throw new Error('no timer is left that could settle the promise');
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settled();
    }
    return promise;
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

/** setImmediate runs after every chain of microtasks that is now under way. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
