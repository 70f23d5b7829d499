import type { Condition } from '../resources/types.ts';
import type { Reason } from './reasons.ts';

/**
 * The conditions with one of them set, in the manner of Kubernetes: `lastTransitionAt` moves only when `status` does.
 * The same array comes back when nothing is different.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: {
    readonly type: string;
    readonly status: Condition['status'];
    readonly reason: Reason;
    readonly message: string;
  },
  generation: number,
  now: number,
): readonly Condition[] {
  const before = conditions?.find((condition) => condition.type === next.type);
  if (
    conditions !== undefined &&
    before?.status === next.status &&
    before.reason === next.reason &&
    before.message === next.message &&
    before.observedGeneration === generation
  )
    return conditions;
  const lastTransitionAt = before?.status === next.status ? before.lastTransitionAt : now;
  const set = { ...next, observedGeneration: generation, lastTransitionAt };
  if (before === undefined) return [...(conditions ?? []), set];
  return (conditions ?? []).map((condition) => (condition === before ? set : condition));
}

export function condition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((candidate) => candidate.type === type);
}
