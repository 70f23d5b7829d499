import { isProviderError } from '../contract/index.ts';

/** The `detail` of a check that ended in `error`, whatever that is. */
export function checkFailure(error: unknown, providerName: string): string {
  if (isProviderError(error)) return error.message;
  const name = error instanceof Error ? error.name : typeof error;
  return `${providerName}: the check broke off (${name}). Report this to the maintainer of the provider package.`;
}
