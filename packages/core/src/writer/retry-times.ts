import {
  type ChangeOutcome,
  type Clock,
  dispositionOf,
  type ProviderError,
  type RandomBytes,
} from '../contract/index.ts';
import { randomShare } from '../time/index.ts';

const firstMs = 1_000;
const longestMs = 300_000;

/** When trying again makes sense: per account, doubling from 1 s to 5 min, spread by up to a half. */
export class RetryTimes {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #failures = new Map<string, number>();

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** To be called once a batch, before {@link after}. */
  note(account: string, outcomes: readonly ChangeOutcome[]): void {
    if (outcomes.length === 0) return;
    if (outcomes.some((outcome) => outcome.status === 'changed' || outcome.status === 'unchanged'))
      this.#failures.delete(account);
    else this.#failures.set(account, (this.#failures.get(account) ?? 0) + 1);
  }

  /**
   * Epoch milliseconds; undefined when only a change elsewhere can help. `again` asks for a time whatever the kind.
   */
  after(account: string, error: ProviderError, pausedUntil: number, again: boolean): number | undefined {
    const disposition = dispositionOf(error.kind);
    if (!again && disposition !== 'retry' && disposition !== 'reapply') return undefined;
    const now = this.#clock.now();
    const earliest = Math.max(now, pausedUntil, now + (error.details.retryAfterMs ?? 0));
    const doublings = Math.min((this.#failures.get(account) ?? 1) - 1, 20);
    const backoffMs = Math.min(longestMs, firstMs * 2 ** doublings);
    return Math.max(earliest + this.#spread(firstMs), now + this.#spread(backoffMs));
  }

  /** Shortly after `instant`, so that those who waited for it do not all come at once. */
  shortlyAfter(instant: number): number {
    return instant + this.#spread(firstMs);
  }

  #spread(ms: number): number {
    return Math.round(ms * (0.5 + randomShare(this.#random) / 2));
  }
}
