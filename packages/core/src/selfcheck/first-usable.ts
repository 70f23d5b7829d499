import { linkedController } from './abort.ts';

export interface Failure<C> {
  readonly candidate: C;
  readonly error: unknown;
}

/** The first usable answer, or why there is none from each candidate that was tried. */
export type FirstUsable<C, T> =
  | { readonly answer: T; readonly from: C; readonly failures: readonly Failure<C>[] }
  | { readonly answer?: never; readonly from?: never; readonly failures: readonly Failure<C>[] };

/**
 * Asks candidates in their order, one at a time: the next is asked at once when one failed, and beside it when one
 * has been silent for `hedgeMs`. A dead server so costs `hedgeMs`, not its time-outs. What is still under way when
 * an answer arrives is aborted.
 *
 * @throws the signal's reason
 */
export function firstUsable<C, T>(
  candidates: readonly C[],
  hedgeMs: number,
  signal: AbortSignal,
  attempt: (candidate: C, signal: AbortSignal) => Promise<T>,
): Promise<FirstUsable<C, T>> {
  return new Promise((resolve, reject) => {
    const { controller, unlink } = linkedController(signal);
    const failures: Failure<C>[] = [];
    let started = 0;
    let settled = false;
    let timer: NodeJS.Timeout | undefined;

    const finish = (settle: () => void) => {
      settled = true;
      clearTimeout(timer);
      unlink();
      settle();
      controller.abort();
    };
    const next = () => {
      clearTimeout(timer);
      const candidate = candidates[started];
      if (candidate === undefined) {
        if (failures.length === candidates.length) finish(() => resolve({ failures }));
        return;
      }
      started += 1;
      timer = setTimeout(next, hedgeMs);
      attempt(candidate, controller.signal).then(
        (answer) => {
          if (!settled) finish(() => resolve({ answer, from: candidate, failures }));
        },
        (error: unknown) => {
          if (settled) return;
          failures.push({ candidate, error });
          if (signal.aborted) finish(() => reject(signal.reason));
          else next();
        },
      );
    };
    if (signal.aborted) finish(() => reject(signal.reason));
    else next();
  });
}
