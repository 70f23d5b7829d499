import { type CheckItem, checkFailure, isProviderError, type ProviderErrorKind, type Zone } from '@zoneproof/core';
import type { EdgednsConfig } from './config.ts';

/** What a list of zones proves. */
export function goodItems(
  zones: readonly Zone[],
  { apiTokenSecretRef }: EdgednsConfig,
  providerName: string,
): readonly CheckItem[] {
  const what = apiTokenSecretRef === undefined ? 'Global API Key' : 'API token';
  const count = zones.length === 1 ? '1 zone' : `${zones.length} zones`;
  return [
    { what: 'reachable', result: 'ok', detail: `${providerName}: the API answers.` },
    { what: 'credentials', result: 'ok', detail: `${providerName}: Cloudflare takes the ${what}.` },
    zones.length > 0
      ? { what: 'zones', result: 'ok', detail: `${providerName}: ${count} to write to.` }
      : {
          what: 'zones',
          result: 'failed',
          detail: `${providerName}: no zone to write to. Add one to the account, or to the zone resources of the token.`,
        },
  ];
}

const itemOf: Partial<Record<ProviderErrorKind, CheckItem['what']>> = { auth: 'credentials', permission: 'zones' };

export function failedItem(error: unknown, providerName: string): CheckItem {
  const what = (isProviderError(error) && itemOf[error.kind]) || 'reachable';
  return { what, ...checkFailure(error, providerName) };
}
