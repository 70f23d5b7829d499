import type { Clock, Timers } from '@zoneproof/core';

/**
 * A clock that runs faster than the world's, for the waits of hosts: a second of backoff, of a rate limit or of a pause
 * that a service asked for is over sooner. Requests take the time they take.
 */
export class FastTime implements Clock, Timers {
  readonly #factor: number;
  readonly #startedAt = Date.now();
  readonly #zero = performance.now();

  constructor(factor: number) {
    this.#factor = factor;
  }

  now(): number {
    return this.#startedAt + Math.floor((performance.now() - this.#zero) * this.#factor);
  }

  setTimeout(run: () => void, ms: number): unknown {
    return setTimeout(run, ms / this.#factor);
  }

  clearTimeout(handle: unknown): void {
    clearTimeout(handle as NodeJS.Timeout);
  }

  /** `ms` by this clock. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.setTimeout(resolve, ms));
  }
}
