import type { ChangeOutcome } from '@zoneproof/core';

export type BadOutcome = Extract<ChangeOutcome, { readonly status: 'failed' | 'unknown' }>;

export function isBad(outcome: ChangeOutcome): outcome is BadOutcome {
  return outcome.status === 'failed' || outcome.status === 'unknown';
}

/** `changed`, `failed/auth` */
export function kindOf(outcome: ChangeOutcome): string {
  return isBad(outcome) ? `${outcome.status}/${outcome.error.kind}` : outcome.status;
}

/** With what the provider says about it, for the messages of assertions. */
export function shown(outcomes: readonly ChangeOutcome[]): string {
  return outcomes
    .map((outcome) => (isBad(outcome) ? `${kindOf(outcome)} (${outcome.error.message})` : outcome.status))
    .join(', ');
}
