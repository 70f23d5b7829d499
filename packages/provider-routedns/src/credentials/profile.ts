import {
  type ApiRequests,
  type CallContext,
  isProviderError,
  oneLine,
  ProviderError,
  type ProviderHost,
} from '@zoneproof/core';
import { createExchange, sdkOptions, silenceVersionNotice } from '../sdk.ts';
import type { Identity } from './identity.ts';
import type { Sts } from './sts.ts';

export interface ProfileSources {
  readonly host: ProviderHost;
  readonly requests: ApiRequests;
  readonly sts: Sts;
  /** For `credential_source` of a profile. */
  remote(source: 'EcsContainer' | 'Ec2InstanceMetadata', call: CallContext): Promise<Identity | undefined>;
}

interface Profile {
  readonly role_arn?: string | undefined;
  readonly role_session_name?: string | undefined;
  readonly external_id?: string | undefined;
  readonly duration_seconds?: string | undefined;
  readonly source_profile?: string | undefined;
  readonly credential_source?: string | undefined;
}

/**
 * The profile of the shared configuration files (`AWS_PROFILE`, else `default`), read by the SDK: keys, SSO, web
 * identity, login sessions, credential_process, and roles on top of them. Undefined when there is no such profile.
 *
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
export async function fromProfile(sources: ProfileSources, call: CallContext): Promise<Identity | undefined> {
  const { getProfileName, parseKnownFiles } = await import('@smithy/core/config');
  const profiles: Readonly<Record<string, Profile>> = await parseKnownFiles({ ignoreCache: true });
  return resolve(getProfileName({}), profiles, sources, call, []);
}

async function resolve(
  name: string,
  profiles: Readonly<Record<string, Profile>>,
  sources: ProfileSources,
  call: CallContext,
  visited: readonly string[],
): Promise<Identity | undefined> {
  const profile = profiles[name];
  if (profile === undefined || visited.includes(name)) return undefined;
  if (!endsRemotely(name, profiles)) return bySdk(name, sources, call);
  const { credential_source: source, source_profile: below = '' } = profile;
  // The SDK would fetch these past the egress.
  const base = isRemote(source)
    ? await sources.remote(source, call)
    : await resolve(below, profiles, sources, call, [...visited, name]);
  if (base === undefined || profile.role_arn === undefined) return base;
  return sources.sts.assumeRole(
    base,
    {
      RoleArn: profile.role_arn,
      RoleSessionName: profile.role_session_name ?? 'zoneproof',
      ExternalId: profile.external_id,
      DurationSeconds: Number(profile.duration_seconds ?? 3600),
    },
    call,
  );
}

async function bySdk(
  profile: string,
  { host, requests, sts }: ProfileSources,
  call: CallContext,
): Promise<Identity | undefined> {
  const { fromIni } = await import('@aws-sdk/credential-provider-ini');
  await silenceVersionNotice();
  const exchange = createExchange(requests.through(`credentials of the profile "${profile}"`, call));
  try {
    const found = await fromIni({
      profile,
      ignoreCache: true,
      clientConfig: sdkOptions(exchange, host.clock),
      roleAssumer: async (identity, input) => toSdk(await sts.assumeRole(identity, input, call)),
      roleAssumerWithWebIdentity: async (input) => toSdk(await sts.assumeRoleWithWebIdentity(input, call)),
    })();
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = found;
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      ...(expiration !== undefined && { expiresAt: expiration.getTime() }),
    };
  } catch (error) {
    if (isProviderError(error)) throw error;
    if (isProviderError(exchange.failure)) throw exchange.failure;
    // Where the SDK's chain goes on, so does this one; it stops at a session that has ended, for example.
    const { tryNextLink, message } = error as { readonly tryNextLink?: boolean; readonly message?: string };
    if (tryNextLink !== false) return undefined;
    const { status = 0 } = exchange.answer ?? {};
    throw new ProviderError({
      kind: status === 429 ? 'rate-limited' : status >= 500 ? 'unavailable' : 'auth',
      message: `${host.providerName}: the profile "${profile}" gives no credentials: ${oneLine(message)}`,
      ...(status > 0 && { httpStatus: status }),
      sent: false,
    });
  }
}

function toSdk({ accessKeyId, secretAccessKey, sessionToken, expiresAt }: Identity) {
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(expiresAt !== undefined && { expiration: new Date(expiresAt) }),
  };
}

function endsRemotely(
  name: string,
  profiles: Readonly<Record<string, Profile>>,
  visited: readonly string[] = [],
): boolean {
  const profile = profiles[name];
  if (profile === undefined || visited.includes(name)) return false;
  if (isRemote(profile.credential_source)) return true;
  return profile.source_profile !== undefined && endsRemotely(profile.source_profile, profiles, [...visited, name]);
}

function isRemote(source: string | undefined): source is 'EcsContainer' | 'Ec2InstanceMetadata' {
  return source === 'EcsContainer' || source === 'Ec2InstanceMetadata';
}
