/**
 * How many questions one check may still send. It travels with the check's signal and with those derived from it, so
 * that hedged and shared questions count where they are sent: referrals that name sixteen servers without addresses
 * each would otherwise make one name cost thousands (the NXNS attack).
 */
interface Budget {
  left: number;
  readonly spent: () => Error;
}

const budgets = new WeakMap<AbortSignal, Budget>();

/** From here on at most `max` questions are sent under `signal`; then `spent()` is thrown. */
export function setBudget(signal: AbortSignal, max: number, spent: () => Error): void {
  budgets.set(signal, { left: max, spent });
}

/** What is done under `derived` counts as done under `signal`. */
export function shareBudget(signal: AbortSignal, derived: AbortSignal): void {
  const budget = budgets.get(signal);
  if (budget) budgets.set(derived, budget);
}

/** @throws what the budget names when nothing is left of it */
export function spendQuestion(signal: AbortSignal): void {
  const budget = budgets.get(signal);
  if (budget === undefined) return;
  if (budget.left === 0) throw budget.spent();
  budget.left -= 1;
}
