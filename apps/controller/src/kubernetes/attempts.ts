import { pause, type RandomBytes, randomShare, type Timers } from '@zoneproof/core';
import { isKubeApiError } from './api-error.ts';

export interface AttemptOptions {
  readonly timers: Timers;
  readonly random: RandomBytes;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

const longestPauseMs = 10_000;

/**
 * Repeats what the API server has not answered for good, until it does or the signal ends it: a write that was given
 * up would be an order or a TXT value that nobody knows of.
 */
export class Attempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /**
   * @param attempt is told whether an earlier one may have been carried out although its answer was lost
   * @throws what `attempt` throws when repeating cannot help; the reason of the signal
   */
  async untilSettled<T>(attempt: (wasLost: boolean) => Promise<T>): Promise<T> {
    let wasLost = false;
    for (let tries = 1; ; tries++) {
      this.signal.throwIfAborted();
      try {
        return await attempt(wasLost);
      } catch (error) {
        if (error instanceof TryAgain) {
          await this.#pause(tries, 0);
          continue;
        }
        if (!isKubeApiError(error) || !error.isTransient) throw error;
        wasLost ||= error.unknownOutcome;
        await this.#pause(tries, error.retryAfterMs ?? 0);
      }
    }
  }

  /** The first repetition comes at once. */
  #pause(tries: number, atLeastMs: number): Promise<void> {
    const { timers, random, signal } = this.#options;
    const backOffMs = tries === 1 ? 0 : Math.min(longestPauseMs, 20 * 2 ** tries);
    return pause(timers, Math.max(backOffMs, atLeastMs) * (1 + randomShare(random) / 2), signal);
  }
}

/** Thrown by an attempt that met a newer state and has taken it in. */
export class TryAgain extends Error {
  constructor() {
    super('the object was changed meanwhile');
    this.name = 'TryAgain';
  }
}
