import type {
  AssumeRoleCommandInput,
  AssumeRoleWithWebIdentityCommandInput,
  Credentials as SessionCredentials,
  STSClient,
} from '@aws-sdk/client-sts';
import { type ApiRequests, type CallContext, ProviderError, type ProviderHost } from '@zoneproof/core';
import type { RoutednsConfig } from '../config.ts';
import { partitionOf } from '../partitions.ts';
import { createExchange, sdkOptions, silenceVersionNotice, withoutTrace } from '../sdk.ts';
import { refusalOf } from '../sdk-answer.ts';
import type { Identity } from './identity.ts';

/** The two requests to STS; https://docs.aws.amazon.com/STS/latest/APIReference/welcome.html */
export interface Sts {
  assumeRole(identity: Identity, input: AssumeRoleCommandInput, call: CallContext): Promise<Identity>;
  assumeRoleWithWebIdentity(input: AssumeRoleWithWebIdentityCommandInput, call: CallContext): Promise<Identity>;
}

type Sdk = typeof import('@aws-sdk/client-sts');
interface Answer {
  readonly Credentials?: SessionCredentials | undefined;
}

/** Where STS is asked: in the block's region, or at `endpoint`, which then takes the place of all of AWS. */
export function stsEndpoint({ region, endpoint }: RoutednsConfig): string {
  return endpoint === undefined ? `https://sts.${region}.${partitionOf(region).dnsSuffix}` : new URL(endpoint).origin;
}

export function createSts(config: RoutednsConfig, host: ProviderHost, requests: ApiRequests): Sts {
  async function ask(
    what: string,
    identity: Identity | undefined,
    token: string | undefined,
    call: CallContext,
    send: (client: STSClient, sdk: Sdk) => Promise<Answer>,
  ): Promise<Identity> {
    const exchange = createExchange(requests.through(what, call));
    const sdk = await import('@aws-sdk/client-sts');
    await silenceVersionNotice();
    const client = withoutTrace(
      new sdk.STSClient({
        ...sdkOptions(exchange, host.clock),
        region: config.region,
        endpoint: stsEndpoint(config),
        // Not left out, or the SDK would look for ambient ones.
        credentials: identity ?? { accessKeyId: '', secretAccessKey: '' },
      }),
    );
    const { providerName } = host;
    try {
      return identityOf(await send(client, sdk), `${providerName}: ${what}`);
    } catch (error) {
      const secrets = [token, identity?.secretAccessKey, identity?.sessionToken];
      throw refusalOf(error, exchange, { providerName, what, now: host.clock.now(), writes: false, secrets });
    }
  }

  return {
    assumeRole: (identity, input, call) =>
      ask(`assuming ${input.RoleArn}`, identity, undefined, call, (client, sdk) =>
        client.send(new sdk.AssumeRoleCommand(input)),
      ),
    assumeRoleWithWebIdentity: (input, call) =>
      ask(`assuming ${input.RoleArn} with a web identity`, undefined, input.WebIdentityToken, call, (client, sdk) =>
        client.send(new sdk.AssumeRoleWithWebIdentityCommand(input)),
      ),
  };
}

function identityOf({ Credentials: found }: Answer, at: string): Identity {
  if (!found?.AccessKeyId || !found.SecretAccessKey || !found.SessionToken)
    throw new ProviderError({
      kind: 'unavailable',
      message: `${at} was answered without credentials. It is asked again later.`,
    });
  return {
    accessKeyId: found.AccessKeyId,
    secretAccessKey: found.SecretAccessKey,
    sessionToken: found.SessionToken,
    ...(found.Expiration && { expiresAt: found.Expiration.getTime() }),
  };
}
