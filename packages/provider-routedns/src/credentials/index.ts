import { type ApiRequests, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { RoutednsConfig } from '../config.ts';
import { createAmbient } from './ambient.ts';
import { type Credentials, remember } from './identity.ts';
import { createSts } from './sts.ts';

export type { Credentials, Identity } from './identity.ts';

/** The credentials that the block asks for: its key or ambient ones, and its role on top of them. */
export function createCredentials(config: RoutednsConfig, host: ProviderHost, requests: ApiRequests): Credentials {
  const { accessKeyID, secretAccessKeySecretRef: ref, role, externalID } = config;
  const sts = createSts(config, host, requests);
  const base =
    accessKeyID !== undefined && ref !== undefined
      ? fromSecret(accessKeyID, host.secret(ref))
      : remember(createAmbient(host, requests, sts), host.clock);
  if (role === undefined) return neverSent(base);
  const input = { RoleArn: role, RoleSessionName: 'zoneproof', ExternalId: externalID };
  const session = remember(async (call) => sts.assumeRole(await base.get(call), input, call), host.clock);
  return neverSent({
    get: (call) => session.get(call),
    forget() {
      session.forget();
      base.forget();
    },
  });
}

/** What is lost on the way to credentials is lost before anything was written. */
function neverSent({ get, forget }: Credentials): Credentials {
  const unsent = (error: unknown): never => {
    throw isProviderError(error) ? new ProviderError({ ...error.details, sent: false }) : error;
  };
  return { get: (call) => get(call).catch(unsent), forget };
}

function fromSecret(accessKeyId: string, secret: ReturnType<ProviderHost['secret']>): Credentials {
  return {
    get: async () => ({ accessKeyId, secretAccessKey: (await secret.get()).text() }),
    forget() {},
  };
}
