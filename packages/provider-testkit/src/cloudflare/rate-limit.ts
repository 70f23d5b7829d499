import { Refusal } from './answers.ts';

/** 1,200 requests in five minutes, all credentials of a user together; beyond it nothing is answered till their end. */
export class RateLimit {
  readonly #limit: number;
  #left: number;
  #resetsAt = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Counts one request. @throws Refusal when there are none left */
  take(now: number): void {
    if (now >= this.#resetsAt) {
      this.#left = this.#limit;
      this.#resetsAt = now + windowMs;
    }
    if (this.#left === 0) throw tooMany(this.#limit);
    this.#left--;
  }

  /** https://developers.cloudflare.com/fundamentals/api/reference/limits/ */
  headers(now: number): Readonly<Record<string, string>> {
    const policy = `"default";q=${this.#limit};w=${windowMs / 1000}`;
    return { ratelimit: `"default";r=${this.#left};t=${this.secondsLeft(now)}`, 'ratelimit-policy': policy };
  }

  secondsLeft(now: number): number {
    return Math.max(0, Math.ceil((this.#resetsAt - now) / 1000));
  }
}

const windowMs = 300_000;

/** The words: https://github.com/lablabs/cloudflare-exporter/issues/74 */
export function tooMany(limit: number): Refusal {
  const words = `More than ${limit} requests per ${windowMs / 1000} seconds reached. Please wait and consider throttling your request speed`;
  return new Refusal(429, 971, words);
}
