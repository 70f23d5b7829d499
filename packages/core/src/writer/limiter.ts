import { type Clock, ProviderError, type RateBucket } from '../contract/index.ts';
import { onAbort, type TimerHandle, type Timers } from '../time/index.ts';

/** The request limits of one account: its declared token buckets, slowed down by what the service answers. */
export interface Limiter {
  /**
   * Resolves, in order of asking, when one more request may be sent. An undeclared bucket counts as the first.
   *
   * @param latestAt epoch milliseconds; a permit that would come later is refused at once
   * @throws LimitRefusal when it would come too late or the account is paused for more than {@link longestPauseWaitedMs}
   * @throws ProviderError of kind `aborted` when `signal` fires first
   */
  permit(signal: AbortSignal, bucket?: string, cost?: number, latestAt?: number): Promise<void>;
  /** The service said "too many": pauses all buckets (default 1 s) and halves their rate, down to a sixteenth. */
  penalise(retryAfterMs?: number): void;
  /** The service answered: the rate grows back by a sixteenth of what is declared. */
  recover(): void;
  /** Epoch milliseconds; no permit is given before. */
  readonly pausedUntil: number;
  /** The share of the declared rate that is used now, 1/16 to 1. */
  readonly rate: number;
  /** Requests that wait for a permit. */
  readonly waiting: number;
}

/** A permit that is not waited for: whoever asked would hold what others need meanwhile. */
export class LimitRefusal extends Error {
  readonly why: 'paused' | 'busy';
  readonly retryAfterMs: number;

  constructor(why: LimitRefusal['why'], retryAfterMs: number) {
    super(`the permit would come in ${retryAfterMs} ms`);
    this.name = 'LimitRefusal';
    this.why = why;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A longer pause is told to those who ask instead of being waited for. */
export const longestPauseWaitedMs = 5_000;

const slowest = 1 / 16;
const defaultPauseMs = 1_000;
const longestPauseMs = 86_400_000;

export function createLimiter(declared: readonly RateBucket[], clock: Clock, timers: Timers): Limiter {
  let rate = 1;
  let pausedUntil = 0;
  const buckets = new Map(declared.map((bucket) => [bucket.name, new Bucket(bucket, clock.now())]));
  // Without a declared limit there is still one queue, so that a pause holds for it.
  const first = buckets.values().next().value ?? new Bucket(unlimited, clock.now());
  const all = buckets.size === 0 ? [first] : [...buckets.values()];

  function serve(bucket: Bucket): void {
    timers.clearTimeout(bucket.timer);
    bucket.timer = undefined;
    const now = clock.now();
    for (const head of bucket.waiting) {
      const waitMs = Math.max(pausedUntil - now, bucket.msUntil(head.cost, now, rate));
      if (waitMs > 0) {
        bucket.timer = timers.setTimeout(() => serve(bucket), waitMs);
        return;
      }
      bucket.take(head.cost);
      bucket.leave(head);
      head.grant();
    }
  }

  /** Why a permit for `cost` behind `ahead` others is not worth waiting for. */
  function refusal(bucket: Bucket, ahead: number, cost: number, latestAt: number): LimitRefusal | undefined {
    const now = clock.now();
    const pauseMs = Math.max(0, pausedUntil - now);
    if (pauseMs > longestPauseWaitedMs) return new LimitRefusal('paused', pauseMs);
    const waitMs = pauseMs + Math.max(0, bucket.msUntil(cost, now, rate, ahead));
    return now + waitMs > latestAt ? new LimitRefusal('busy', waitMs) : undefined;
  }

  function refuseLate(bucket: Bucket): void {
    let ahead = 0;
    for (const waiter of bucket.waiting) {
      const refused = refusal(bucket, ahead, waiter.cost, waiter.latestAt);
      if (refused === undefined) ahead += waiter.cost;
      else {
        bucket.leave(waiter);
        waiter.refuse(refused);
      }
    }
  }

  return {
    permit(signal, name, cost = 1, latestAt = Number.POSITIVE_INFINITY) {
      const bucket = (name === undefined ? undefined : buckets.get(name)) ?? first;
      if (signal.aborted) return Promise.reject(abandoned(signal));
      const refused = refusal(bucket, bucket.queued, cost, latestAt);
      if (refused !== undefined) return Promise.reject(refused);
      return new Promise((resolve, reject) => {
        const leave = () => {
          bucket.leave(waiter);
          reject(abandoned(signal));
          serve(bucket);
        };
        const forget = onAbort(signal, leave);
        const waiter: Waiter = {
          cost,
          latestAt,
          grant: () => {
            forget();
            resolve();
          },
          refuse: (reason) => {
            forget();
            reject(reason);
          },
        };
        bucket.join(waiter);
        if (bucket.waiting.size === 1) serve(bucket);
      });
    },
    penalise(retryAfterMs = defaultPauseMs) {
      const now = clock.now();
      // Several refusals of requests sent together are one message: the rate is halved once a pause.
      if (now >= pausedUntil) rate = Math.max(slowest, rate / 2);
      pausedUntil = Math.max(pausedUntil, now + Math.min(Math.max(0, retryAfterMs), longestPauseMs));
      for (const bucket of all) {
        bucket.thin(pausedUntil);
        refuseLate(bucket);
        serve(bucket);
      }
    },
    recover() {
      if (clock.now() >= pausedUntil) rate = Math.min(1, rate + slowest);
    },
    get pausedUntil() {
      return pausedUntil;
    },
    get rate() {
      return rate;
    },
    get waiting() {
      return all.reduce((sum, { waiting }) => sum + waiting.size, 0);
    },
  };
}

const unlimited: RateBucket = {
  name: '',
  burst: Number.POSITIVE_INFINITY,
  perSecond: Number.POSITIVE_INFINITY,
  source: '',
};

interface Waiter {
  readonly cost: number;
  readonly latestAt: number;
  readonly grant: () => void;
  readonly refuse: (reason: LimitRefusal) => void;
}

class Bucket {
  /** In order of asking. */
  readonly waiting = new Set<Waiter>();
  /** What all who wait will cost. */
  queued = 0;
  timer: TimerHandle | undefined;
  readonly #declared: RateBucket;
  #tokens: number;
  #at: number;
  #thinUntil = 0;

  constructor(declared: RateBucket, now: number) {
    this.#declared = declared;
    this.#tokens = declared.burst;
    this.#at = now;
  }

  join(waiter: Waiter): void {
    this.waiting.add(waiter);
    this.queued += waiter.cost;
  }

  leave(waiter: Waiter): void {
    if (this.waiting.delete(waiter)) this.queued -= waiter.cost;
  }

  /**
   * Milliseconds until `cost` tokens are there after those for `ahead`; a cost above the burst waits for a full bucket
   * and overdraws it.
   */
  msUntil(cost: number, now: number, rate: number, ahead = 0): number {
    const perMs = (this.#declared.perSecond * rate) / 1000;
    if (!Number.isFinite(perMs)) return 0;
    this.#refill(Math.min(now, this.#thinUntil), perMs, 1);
    this.#refill(now, perMs, this.#declared.burst);
    return Math.ceil((ahead + Math.min(cost, this.#declared.burst) - this.#tokens) / perMs);
  }

  take(cost: number): void {
    this.#tokens -= cost;
  }

  /** Others share the limit, or it is lower than declared: after the pause not a whole burst, but one at a time. */
  thin(until: number): void {
    this.#tokens = Math.min(this.#tokens, 1);
    this.#thinUntil = until;
  }

  #refill(until: number, perMs: number, max: number): void {
    if (until <= this.#at) return;
    this.#tokens = Math.min(max, this.#tokens + (until - this.#at) * perMs);
    this.#at = until;
  }
}

function abandoned(signal: AbortSignal): ProviderError {
  return new ProviderError({
    kind: 'aborted',
    message: 'stopped while waiting for the rate limit; nothing was sent',
    cause: signal.reason,
  });
}
