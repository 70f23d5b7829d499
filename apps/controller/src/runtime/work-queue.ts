import type { Clock, Timers } from '@zoneproof/core';

/** Longest delay that setTimeout takes. */
const maxDelayMs = 2 ** 31 - 1;

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly concurrency: number;
  /** Works on one key and tells when to come again (epoch milliseconds), if at all. Must not throw. */
  readonly run: (key: string) => Promise<number | undefined>;
  /** Called each time the queue has nothing running and nothing ready. */
  readonly onQuiet?: () => void;
}

export interface QueueState {
  /** Keys that no worker has begun with. */
  readonly ready: number;
  readonly running: number;
  /** When the longest piece of work under way began; epoch milliseconds. */
  readonly longestSince?: number;
  /** Since when there is work and no piece of it has ended; absent when there is none. Epoch milliseconds. */
  readonly noneEndedSince?: number;
}

/**
 * Keys that want work. A key is worked on by one worker at a time; added while it is being worked on, it is worked on
 * once more. Times are exact: each key has at most one timer, for the earliest time asked for.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready = new Set<string>();
  /** By key, when the work began. */
  readonly #running = new Map<string, number>();
  readonly #timers = new Map<string, { readonly at: number; readonly handle: ReturnType<Timers['setTimeout']> }>();
  #noneEndedSince = 0;
  #closed = false;
  #drained: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Work on `key` as soon as a worker is free. */
  add(key: string): void {
    if (this.#closed) return;
    if (this.quiet) this.#noneEndedSince = this.#options.clock.now();
    this.#ready.add(key);
    this.#clearTimer(key);
    queueMicrotask(() => this.#start());
  }

  /** Work on `key` at `at`, or earlier when something else asks for it. */
  addAt(key: string, at: number): void {
    if (this.#closed || this.#ready.has(key)) return;
    const existing = this.#timers.get(key);
    if (existing !== undefined && existing.at <= at) return;
    this.#clearTimer(key);
    const delayMs = at - this.#options.clock.now();
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const wake = (): void => {
      this.#timers.delete(key);
      // A delay beyond the limit of setTimeout is cut in pieces.
      if (this.#options.clock.now() < at) this.addAt(key, at);
      else this.add(key);
    };
    this.#timers.set(key, { at, handle: this.#options.timers.setTimeout(wake, Math.min(delayMs, maxDelayMs)) });
  }

  get quiet(): boolean {
    return this.#ready.size === 0 && this.#running.size === 0;
  }

  /** How much there is to do, and since when (epoch milliseconds). */
  get state(): QueueState {
    let longestSince: number | undefined;
    for (const since of this.#running.values()) longestSince = Math.min(longestSince ?? since, since);
    return {
      ready: this.#ready.size,
      running: this.#running.size,
      ...(longestSince === undefined ? {} : { longestSince }),
      ...(this.quiet ? {} : { noneEndedSince: this.#noneEndedSince }),
    };
  }

  /** Starts nothing new and resolves when what is running has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ready.clear();
    for (const key of [...this.#timers.keys()]) this.#clearTimer(key);
    if (this.#running.size > 0)
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
  }

  #start(): void {
    for (const key of this.#ready) {
      if (this.#running.size >= this.#options.concurrency) return;
      if (this.#running.has(key)) continue;
      this.#ready.delete(key);
      this.#running.set(key, this.#options.clock.now());
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    const wakeAt = await this.#options.run(key);
    this.#running.delete(key);
    this.#noneEndedSince = this.#options.clock.now();
    if (wakeAt !== undefined) this.addAt(key, wakeAt);
    if (this.#closed) {
      if (this.#running.size === 0) this.#drained?.();
      return;
    }
    this.#start();
    if (this.quiet) this.#options.onQuiet?.();
  }

  #clearTimer(key: string): void {
    const timer = this.#timers.get(key);
    if (timer === undefined) return;
    this.#options.timers.clearTimeout(timer.handle);
    this.#timers.delete(key);
  }
}
