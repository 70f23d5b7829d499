import { randomBytes } from 'node:crypto';
import type { Clock, RandomBytes } from '../contract/index.ts';
import { onAbort } from './on-abort.ts';

/** Whatever `setTimeout` returned. */
export type TimerHandle = unknown;

/** Waiting is an input, like the clock. */
export interface Timers {
  setTimeout(run: () => void, ms: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

export const systemClock: Clock = { now: () => Date.now() };

export const systemTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};

export const systemRandom: RandomBytes = (length) => randomBytes(length);

/** A number from 0 up to, not including, 1. */
export function randomShare(random: RandomBytes): number {
  const [a = 0, b = 0, c = 0] = random(3);
  return (a * 65536 + b * 256 + c) / 16_777_216;
}

/** Resolves after `ms`, or at once when `signal` fires. Never rejects: the caller looks at its signal. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timers.clearTimeout(handle);
      forget();
      resolve();
    };
    const handle = timers.setTimeout(done, ms);
    const forget = onAbort(signal, done);
  });
}
