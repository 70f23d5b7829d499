import {
  type CallContext,
  type Clock,
  isProviderError,
  ProviderError,
  type ProviderErrorKind,
} from '../contract/index.ts';
import { onAbort, type Timers } from '../time/index.ts';
import type { BoundProvider } from './bound-provider.ts';
import { createLimiter, type Limiter, LimitRefusal } from './limiter.ts';

/** The member of DnsProvider that is called. */
export type ProviderOperation = 'apply' | 'listZones' | 'findZone' | 'syncState';

/** How one call may run. */
export interface CallLimits<T = unknown> {
  readonly operation: ProviderOperation;
  readonly signal: AbortSignal;
  /** The call's own deadline; default 30 000. */
  readonly timeoutMs?: number;
  /** The error that a result tells of instead of it being thrown: for measurements only. */
  readonly errorIn?: (result: T) => ProviderError | undefined;
}

/** A call that has ended, for metrics. */
export interface EndedCall {
  /** The block's key. */
  readonly provider: string;
  readonly operation: ProviderOperation;
  readonly outcome: 'ok' | ProviderErrorKind;
  /** Waits for permits included. */
  readonly durationMs: number;
}

/** The limits of one account, as they are now. */
export interface AccountLimits {
  /** The block's key. */
  readonly provider: string;
  /** The share of its declared rate that the account has, 1/16 to 1. */
  readonly rate: number;
  /** Epoch milliseconds; no permit is given before. */
  readonly pausedUntil: number;
  /** Requests that wait for a permit. */
  readonly waiting: number;
}

/**
 * Every call into a provider goes through here: with a deadline, with permits from the buckets of its account, and
 * with its errors made fit to show.
 */
export interface ProviderCalls {
  /**
   * `what` completes "rfc2136 "lab": ...": `listing zones`, `writing 3 values of zone example.com`.
   *
   * @throws ProviderError only. Kind `aborted` means that `limits.signal` fired; a deadline is `unavailable`.
   */
  run<T>(
    bound: BoundProvider,
    what: string,
    limits: CallLimits<T>,
    work: (call: CallContext) => Promise<T>,
  ): Promise<T>;
  /** Shared by all blocks of one account. */
  limiter(bound: BoundProvider): Limiter;
  /** Slows the account down when `error` is the service's "too many". */
  noteError(bound: BoundProvider, error: ProviderError): void;
  /** A permit was refused, so this says nothing about the service, which was not asked. */
  isOwnRefusal(error: ProviderError): boolean;
  /** Every account that was called so far. */
  accounts(): readonly AccountLimits[];
}

// A provider that does not notice its signal is left behind after this time.
const graceMs = 2_000;
// What a request needs after its permit: a permit that leaves less is refused.
const requestMs = 5_000;
const longestWaitMs = 25_000;

/** @param onEnd called with each call that has ended */
export function createProviderCalls(clock: Clock, timers: Timers, onEnd?: (call: EndedCall) => void): ProviderCalls {
  const limiters = new Map<string, { readonly provider: string; readonly limiter: Limiter }>();
  const refusals = new WeakSet<ProviderError>();

  function limiter(bound: BoundProvider): Limiter {
    let known = limiters.get(bound.account);
    if (known === undefined) {
      const made = createLimiter(bound.capabilities.buckets, clock, timers);
      known = { provider: bound.block.key, limiter: made };
      limiters.set(bound.account, known);
    }
    return known.limiter;
  }

  function refused({ displayName }: BoundProvider, { why, retryAfterMs }: LimitRefusal): ProviderError {
    const seconds = Math.ceil(retryAfterMs / 1000);
    const told =
      why === 'paused'
        ? `the service asked for a pause of ${seconds} s more`
        : `the requests of this account that wait already take ${seconds} s at the rate that the service allows`;
    const message = `${displayName}: ${told}; it goes on by itself`;
    const error = new ProviderError({ kind: 'rate-limited', message, retryAfterMs, sent: false });
    refusals.add(error);
    return error;
  }

  function noteError(bound: BoundProvider, error: ProviderError): void {
    if (error.kind === 'rate-limited' && !refusals.has(error)) limiter(bound).penalise(error.details.retryAfterMs);
  }

  async function run<T>(
    bound: BoundProvider,
    what: string,
    callLimits: CallLimits<T>,
    work: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    if (onEnd === undefined) return runUnmeasured(bound, what, callLimits, work);
    const { operation, errorIn } = callLimits;
    const startedAt = clock.now();
    const tell = (error: ProviderError | undefined): void =>
      onEnd({
        provider: bound.block.key,
        operation,
        outcome: error?.kind ?? 'ok',
        durationMs: clock.now() - startedAt,
      });
    try {
      const result = await runUnmeasured(bound, what, callLimits, work);
      tell(errorIn?.(result));
      return result;
    } catch (error) {
      tell(error as ProviderError);
      throw error;
    }
  }

  async function runUnmeasured<T>(
    bound: BoundProvider,
    what: string,
    { signal, timeoutMs = 30_000 }: CallLimits<T>,
    work: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    const limits = limiter(bound);
    const stop = new AbortController();
    let reject: (error: unknown) => void = () => undefined;
    const leftBehind = new Promise<never>((_resolve, toReject) => {
      reject = toReject;
    });
    let grace: unknown;
    const end = (reason: unknown) => {
      stop.abort(reason);
      grace ??= timers.setTimeout(() => reject(ended), graceMs);
    };
    if (signal.aborted) throw stopped(bound, what, signal);
    const forget = onAbort(signal, () => end(signal.reason));
    const deadline = timers.setTimeout(() => end(ended), timeoutMs);
    const latestAt = clock.now() + timeoutMs - Math.min(requestMs, timeoutMs / 2);
    try {
      const call: CallContext = {
        signal: stop.signal,
        deadlineAt: clock.now() + timeoutMs,
        permit: (bucket, cost) =>
          limits
            .permit(stop.signal, bucket, cost, Math.min(latestAt, clock.now() + longestWaitMs))
            .catch((error: unknown) => {
              throw error instanceof LimitRefusal ? refused(bound, error) : error;
            }),
      };
      const result = await Promise.race([work(call), leftBehind]);
      limits.recover();
      return result;
    } catch (error) {
      if (signal.aborted) throw stopped(bound, what, signal);
      if (stop.signal.aborted) throw late(bound, what, timeoutMs, error === ended ? undefined : error);
      if (!isProviderError(error)) throw broken(bound, what, error);
      noteError(bound, error);
      throw error;
    } finally {
      timers.clearTimeout(deadline);
      timers.clearTimeout(grace);
      forget();
    }
  }

  return {
    run,
    limiter,
    noteError,
    isOwnRefusal: (error) => refusals.has(error),
    accounts: () =>
      [...limiters.values()].map(({ provider, limiter: { rate, pausedUntil, waiting } }) => ({
        provider,
        rate,
        pausedUntil,
        waiting,
      })),
  };
}

const ended = new Error('the deadline of the call has passed');

function stopped(bound: BoundProvider, what: string, signal: AbortSignal): ProviderError {
  return new ProviderError({
    kind: 'aborted',
    message: `${bound.displayName}: ${what} was stopped`,
    cause: signal.reason,
  });
}

function late(bound: BoundProvider, what: string, timeoutMs: number, cause: unknown): ProviderError {
  const message = `${bound.displayName}: ${what} took longer than ${timeoutMs / 1000} s`;
  return new ProviderError({ kind: 'unavailable', message, cause });
}

/** The provider broke the contract (E1). The message of a foreign error may hold anything, so only its name is shown. */
function broken(bound: BoundProvider, what: string, error: unknown): ProviderError {
  const name = error instanceof Error ? error.name : typeof error;
  return new ProviderError({
    kind: 'unavailable',
    message: `${bound.displayName}: ${what} broke inside the provider package (${name}). Report this to its maintainer.`,
    cause: error,
  });
}
