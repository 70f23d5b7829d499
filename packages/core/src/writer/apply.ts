import type { ChangeOutcome, ProviderErrorKind, TxtChange } from '../contract/index.ts';

/** How {@link applyUntilSettled} sends and waits. */
export interface ApplySteps {
  /** One `apply` of the provider; throws nothing, one outcome per change. */
  once(changes: readonly TxtChange[]): Promise<readonly ChangeOutcome[]>;
  /** Before sending again: a short random pause that grows with `attempt`, which starts at 1. */
  beforeRepeat(why: RepeatReason, changes: number, attempt: number): Promise<void>;
  /** True when nobody waits any more: nothing is sent again. */
  stopped(): boolean;
}

/** `together`: refused only as part of a batch that was not cut further, so the change itself may be right. */
export type SettledOutcome = ChangeOutcome & { readonly together?: true };

export type RepeatReason = 'conflict' | 'unknown' | 'bisection';

const conflictRepeats = 5;
const unknownRepeats = 2;
const searches = 4;

/**
 * Applies changes and repeats at once what is worth repeating:
 *
 * conflict   up to five times, since somebody else wrote in between
 * unknown    up to twice, since applying is idempotent
 * bisection  an atomic batch that was refused for what one change says is cut in halves, so that the others go through
 */
export async function applyUntilSettled(
  changes: readonly TxtChange[],
  atomic: boolean,
  steps: ApplySteps,
): Promise<readonly SettledOutcome[]> {
  // Finding one bad change among n takes about 2 log2 n calls. A refusal that meets every change alike (a read-only
  // key) would take 2 n: without a single success the search ends after `full` calls. So would hundreds of bad ones:
  // what `total` calls leave uncut is tried another time, without those that were found.
  const full = 2 * Math.ceil(Math.log2(changes.length + 1)) + 2;
  const budget = { left: full, total: searches * full };

  async function settle(part: readonly TxtChange[]): Promise<SettledOutcome[]> {
    const outcomes: SettledOutcome[] = await repeat(part);
    if (outcomes.some(isDone)) budget.left = full;
    // What the provider found to be so already takes no part in the batch; the rest stood or fell together.
    const refused = outcomes.flatMap((outcome, at) => (blamesOneChange(outcome) ? [at] : []));
    const wasTaken = outcomes.some(({ status }) => status === 'changed' || status === 'unknown');
    if (!atomic || refused.length < 2 || wasTaken || steps.stopped()) return outcomes;
    if (Math.min(budget.left, budget.total) <= 0) {
      for (const at of refused) outcomes[at] = { ...outcomes[at]!, together: true };
      return outcomes;
    }
    budget.left -= 2;
    budget.total -= 2;
    await steps.beforeRepeat('bisection', refused.length, 1);
    const middle = Math.ceil(refused.length / 2);
    for (const half of [refused.slice(0, middle), refused.slice(middle)]) {
      const settled = await settle(half.map((at) => part[at]!));
      for (const [i, at] of half.entries()) outcomes[at] = settled[i]!;
    }
    return outcomes;
  }

  async function repeat(part: readonly TxtChange[]): Promise<ChangeOutcome[]> {
    const settled: ChangeOutcome[] = [...(await steps.once(part))];
    const attempts = { conflict: 0, unknown: 0 };
    for (;;) {
      const again = settled.flatMap((outcome, at) => (isRepeatable(outcome, attempts) ? [at] : []));
      if (again.length === 0 || steps.stopped()) return settled;
      const why = again.some((at) => settled[at]?.status === 'unknown') ? 'unknown' : 'conflict';
      attempts[why]++;
      await steps.beforeRepeat(why, again.length, attempts[why]);
      if (steps.stopped()) return settled;
      const outcomes = await steps.once(again.flatMap((at) => part[at] ?? []));
      again.forEach((at, i) => {
        const outcome = outcomes[i];
        if (outcome !== undefined) settled[at] = outcome;
      });
    }
  }

  return settle(changes);
}

function isRepeatable(outcome: ChangeOutcome, attempts: { conflict: number; unknown: number }): boolean {
  if (outcome.status === 'unknown') return attempts.unknown < unknownRepeats;
  return outcome.status === 'failed' && outcome.error.kind === 'conflict' && attempts.conflict < conflictRepeats;
}

function isDone({ status }: ChangeOutcome): boolean {
  return status === 'changed' || status === 'unchanged';
}

/** Kinds that may speak about one change of a batch; the others meet the whole account, zone or server. */
const ofOneChange: ReadonlySet<ProviderErrorKind> = new Set(['invalid', 'permission', 'quota', 'action-required']);

function blamesOneChange(outcome: ChangeOutcome): boolean {
  return outcome.status === 'failed' && ofOneChange.has(outcome.error.kind);
}
