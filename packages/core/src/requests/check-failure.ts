import { type CheckItem, isProviderError } from '../contract/index.ts';
import { isAddressDenied } from '../egress/index.ts';

/** How a check ended in `error`, whatever that is: the finding but for what it was about. */
export function checkFailure(error: unknown, providerName: string): Omit<CheckItem, 'what'> {
  const result = 'failed';
  if (isProviderError(error))
    return { result, detail: error.message, kind: error.kind, ...(isAddressDenied(error) && { denied: true }) };
  const name = error instanceof Error ? error.name : typeof error;
  const detail = `${providerName}: the check broke off (${name}). Report this to the maintainer of the provider package.`;
  return { result, detail };
}
