import type { Clock, Timers } from '@zoneproof/core';
import type { FakeClock } from '@zoneproof/core/testing';

/** The clocks and timers of a process that may be stopped, runs at its own speed and has a wall clock of its own. */
export class StoppableTime {
  readonly time: { readonly clock: Clock; readonly monotonic: Clock; readonly timers: Timers };
  readonly #held: (() => void)[] = [];
  #stopped = false;
  #wallMs: number;

  constructor(base: FakeClock, speed: number, offsetMs: number, wallMs: number) {
    this.#wallMs = wallMs;
    const monotonic = { now: () => (base.now() - 1e12) * speed + offsetMs };
    const gated = (run: () => void) => () => {
      if (this.#stopped) this.#held.push(run);
      else run();
    };
    this.time = {
      monotonic,
      clock: { now: () => monotonic.now() + this.#wallMs },
      timers: {
        setTimeout: (run, ms) => base.setTimeout(gated(run), ms / speed),
        clearTimeout: (handle) => base.clearTimeout(handle),
      },
    };
  }

  /** An answer that came while the process was stopped reaches it afterwards. */
  gate<T>(promise: Promise<T>): Promise<T> {
    const arrive = () =>
      new Promise<void>((resolve) => {
        if (this.#stopped) this.#held.push(resolve);
        else resolve();
      });
    return promise.finally(arrive);
  }

  stop(): void {
    this.#stopped = true;
  }

  continue(): void {
    this.#stopped = false;
    for (const run of this.#held.splice(0)) run();
  }

  stepWallClock(ms: number): void {
    this.#wallMs += ms;
  }
}
