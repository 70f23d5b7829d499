import { type ApiRequests, type CallContext, isProviderError, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { Identity } from './identity.ts';
import { fromProfile } from './profile.ts';
import { fromContainer, fromInstance } from './remote.ts';
import type { Sts } from './sts.ts';
import { readTokenFile } from './token-file.ts';

/**
 * The credentials of the surroundings, in the order of the SDK's default chain: environment variables (not beside
 * AWS_PROFILE), shared configuration files, web identity token file, container, instance. What the SDK would fetch
 * past the egress is fetched here. The only place where the provider reads the environment.
 *
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/setting-credentials-node.html
 *
 * @throws ProviderError: `auth` that says where was looked
 */
export function createAmbient(
  host: ProviderHost,
  requests: ApiRequests,
  sts: Sts,
): (call: CallContext) => Promise<Identity> {
  const { env } = process;
  const container = (call: CallContext) => fromContainer(env, host.providerName, requests, call);
  const instance = (call: CallContext) => fromInstance(env, host.providerName, requests, call);
  const remote = (source: 'EcsContainer' | 'Ec2InstanceMetadata', call: CallContext) =>
    source === 'EcsContainer' ? container(call) : instance(call);

  return async (call) => {
    const found =
      fromVariables() ??
      (await fromProfile({ host, requests, sts, remote }, call)) ??
      (await fromTokenFile(sts, call, host)) ??
      (await container(call)) ??
      (await instance(call).catch((error: unknown) => nothing(error)));
    if (found !== undefined) return found;
    throw new ProviderError({
      kind: 'auth',
      message: `${host.providerName}: no AWS credentials around here: not in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the profile "${env.AWS_PROFILE ?? 'default'}", AWS_WEB_IDENTITY_TOKEN_FILE, the container or the instance. Give the controller a role, or set accessKeyID and secretAccessKeySecretRef.`,
      sent: false,
    });
  };
}

function fromVariables(): Identity | undefined {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (AWS_PROFILE || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

/** As EKS hands out to a service account; the file changes, so it is read each time. */
async function fromTokenFile(
  sts: Sts,
  call: CallContext,
  { providerName }: ProviderHost,
): Promise<Identity | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: arn, AWS_ROLE_SESSION_NAME: session } = process.env;
  if (!file || !arn) return undefined;
  const token = await readTokenFile(file, 'AWS_WEB_IDENTITY_TOKEN_FILE', providerName);
  const input = { RoleArn: arn, RoleSessionName: session || 'zoneproof', WebIdentityToken: token };
  return sts.assumeRoleWithWebIdentity(input, call);
}

/** No instance answers where there is none, and none may be asked; that is the end of the chain, not an outage. */
function nothing(error: unknown): undefined {
  const unanswered = isProviderError(error) && error.details.httpStatus === undefined;
  if (unanswered && (error.kind === 'unavailable' || error.kind === 'permission')) return undefined;
  throw error;
}
