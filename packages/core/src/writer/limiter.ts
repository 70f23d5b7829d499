import { type Clock, ProviderError, type RateBucket } from '../contract/index.ts';
import { onAbort, type TimerHandle, type Timers } from '../time/index.ts';

/** The request limits of one account: its declared token buckets, slowed down by what the service answers. */
export interface Limiter {
  /**
   * Resolves, in order of asking, when one more request may be sent. An undeclared bucket counts as the first.
   *
   * @throws ProviderError of kind `aborted` when `signal` fires first
   */
  permit(signal: AbortSignal, bucket?: string, cost?: number): Promise<void>;
  /** The service said "too many": pauses all buckets (default 1 s) and halves their rate, down to a sixteenth. */
  penalise(retryAfterMs?: number): void;
  /** The service answered: the rate grows back by a sixteenth of what is declared. */
  recover(): void;
  /** Epoch milliseconds; no permit is given before. */
  readonly pausedUntil: number;
}

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
    if (bucket.timer !== undefined) timers.clearTimeout(bucket.timer);
    bucket.timer = undefined;
    const now = clock.now();
    for (let head = bucket.waiting[0]; head !== undefined; head = bucket.waiting[0]) {
      const waitMs = Math.max(pausedUntil - now, bucket.msUntil(head.cost, now, rate));
      if (waitMs > 0) {
        bucket.timer = timers.setTimeout(() => serve(bucket), waitMs);
        return;
      }
      bucket.take(head.cost);
      bucket.waiting.shift();
      head.grant();
    }
  }

  return {
    permit(signal, name, cost = 1) {
      const bucket = (name === undefined ? undefined : buckets.get(name)) ?? first;
      if (signal.aborted) return Promise.reject(abandoned(signal));
      return new Promise((resolve, reject) => {
        const leave = () => {
          bucket.waiting.splice(bucket.waiting.indexOf(waiter), 1);
          reject(abandoned(signal));
          serve(bucket);
        };
        const forget = onAbort(signal, leave);
        const grant = () => {
          forget();
          resolve();
        };
        const waiter: Waiter = { cost, grant };
        bucket.waiting.push(waiter);
        serve(bucket);
      });
    },
    penalise(retryAfterMs = defaultPauseMs) {
      const now = clock.now();
      // Several refusals of requests sent together are one message: the rate is halved once a pause.
      if (now >= pausedUntil) rate = Math.max(slowest, rate / 2);
      pausedUntil = Math.max(pausedUntil, now + Math.min(Math.max(0, retryAfterMs), longestPauseMs));
      for (const bucket of all) {
        bucket.drain(now);
        serve(bucket);
      }
    },
    recover() {
      if (clock.now() >= pausedUntil) rate = Math.min(1, rate + slowest);
    },
    get pausedUntil() {
      return pausedUntil;
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
  readonly grant: () => void;
}

class Bucket {
  readonly waiting: Waiter[] = [];
  timer: TimerHandle | undefined;
  readonly #declared: RateBucket;
  #tokens: number;
  #at: number;

  constructor(declared: RateBucket, now: number) {
    this.#declared = declared;
    this.#tokens = declared.burst;
    this.#at = now;
  }

  /** Milliseconds until `cost` tokens are there; a cost above the burst waits for a full bucket and overdraws it. */
  msUntil(cost: number, now: number, rate: number): number {
    const perMs = (this.#declared.perSecond * rate) / 1000;
    if (!Number.isFinite(perMs)) return 0;
    this.#tokens = Math.min(this.#declared.burst, this.#tokens + Math.max(0, now - this.#at) * perMs);
    this.#at = now;
    return Math.ceil((Math.min(cost, this.#declared.burst) - this.#tokens) / perMs);
  }

  take(cost: number): void {
    this.#tokens -= cost;
  }

  drain(now: number): void {
    this.#tokens = Math.min(this.#tokens, 0);
    this.#at = now;
  }
}

function abandoned(signal: AbortSignal): ProviderError {
  return new ProviderError({
    kind: 'aborted',
    message: 'stopped while waiting for the rate limit; nothing was sent',
    cause: signal.reason,
  });
}
