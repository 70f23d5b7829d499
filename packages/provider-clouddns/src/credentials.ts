import { type ApiRequests, type CallContext, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { Credentials } from './access-tokens.ts';
import { ambientCredentials } from './ambient.ts';
import { serviceAccountCredentials } from './assertion.ts';
import type { ClouddnsConfig } from './config.ts';
import type { CredentialsPlace } from './errors.ts';
import { fingerprint, readServiceAccount } from './service-account.ts';
import { TokenRequests } from './token-requests.ts';

/**
 * The credentials of a block as they are at each call: the Secret's, or without serviceAccountSecretRef those of the
 * machine. Only then is the environment looked at.
 */
export function readCredentials(
  config: ClouddnsConfig,
  host: ProviderHost,
  requestsFor: (url: string) => ApiRequests,
): (call: CallContext) => Promise<Credentials> {
  const requests = new TokenRequests(host, requestsFor, placeOf(config));
  const now = () => host.clock.now();
  const ref = config.serviceAccountSecretRef;
  const anyTokenUrl = config.endpoint !== undefined;
  const at = host.providerName;
  if (ref === undefined)
    return (call) => ambientCredentials({ at, env: process.env, requests, now, anyTokenUrl }, call);
  const secret = host.secret(ref);
  return async () => {
    const text = (await secret.get()).text();
    const { account, problem } = readServiceAccount(text, anyTokenUrl);
    if (account) return serviceAccountCredentials(fingerprint(text), account, requests, now);
    const message = `${at}: ${placeOf(config)}: ${problem}.`;
    throw new ProviderError({ kind: 'auth', message, sent: false });
  };
}

/** Where the credentials of a block are. */
export function placeOf({ serviceAccountSecretRef: ref }: ClouddnsConfig): CredentialsPlace {
  return ref === undefined ? 'the ambient credentials' : `entry "${ref.key}" of Secret "${ref.name}"`;
}
