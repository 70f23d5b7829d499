import type { ValidationRule } from '../structural.ts';

/** What the API server checks of an Order, by the path of the field. */
export const orderRules: Readonly<Record<string, readonly ValidationRule[]>> = {
  spec: [{ rule: 'self == oldSelf', message: 'an Order is what the CA was asked for; change the Certificate instead' }],
};
