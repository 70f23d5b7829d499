import { type ApiRequests, type CallContext, type HttpAnswer, jsonObject, ProviderError } from '@zoneproof/core';
import type { Identity } from './identity.ts';
import { readTokenFile } from './token-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

// The SDK waits as long, and asks up to four times; here one request is one request.
const timeoutMs = 1_000;

/**
 * Credentials of an ECS task or an EKS pod, as its environment says. The SDK's own provider opens sockets of its own.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export async function fromContainer(
  env: Environment,
  providerName: string,
  requests: ApiRequests,
  call: CallContext,
): Promise<Identity | undefined> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  const text = relative ? `http://169.254.170.2${relative}` : full;
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !(url.protocol === 'https:' || (url.protocol === 'http:' && containerHost.test(url.hostname)))
  )
    throw new ProviderError({
      kind: 'auth',
      message: `${providerName}: AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of this machine; nothing is asked there. Correct it.`,
      sent: false,
    });
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file
    ? await readTokenFile(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', providerName)
    : env.AWS_CONTAINER_AUTHORIZATION_TOKEN?.trim();
  const headers = token ? { authorization: token } : {};
  const answer = await requests.send(
    { method: 'GET', url: url.href, headers, timeoutMs },
    'credentials of the container',
    call,
  );
  return readIdentity(answer, `${providerName}: ${url.host}`);
}

const containerHost = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]|169\.254\.170\.(2|23)|\[fd00:ec2::23\])$/;

/**
 * Credentials of the EC2 instance's role, by IMDSv2 alone. The SDK's own provider opens sockets of its own.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
export async function fromInstance(
  env: Environment,
  providerName: string,
  requests: ApiRequests,
  call: CallContext,
): Promise<Identity | undefined> {
  if ((env.AWS_EC2_METADATA_DISABLED ?? 'false').toLowerCase() !== 'false') return undefined;
  const { AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint, AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: mode = '' } = env;
  const origin = endpoint || (mode.toLowerCase() === 'ipv6' ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254');
  const at = `${providerName}: ${URL.canParse(origin) ? new URL(origin).host : origin}`;
  const ask = async (method: 'GET' | 'PUT', path: string, headers: Readonly<Record<string, string>>) => {
    const url = `${origin.replace(/\/+$/, '')}/latest/${path}`;
    const answer = await requests.send({ method, url, headers, timeoutMs }, 'credentials of the instance', call);
    if (answer.status !== 200) throw unexpected(answer, at);
    return answer;
  };
  const token = textOf(await ask('PUT', 'api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' }));
  const headers = { 'x-aws-ec2-metadata-token': token };
  const [role = ''] = textOf(await ask('GET', 'meta-data/iam/security-credentials/', headers)).split('\n');
  const answer = await ask('GET', `meta-data/iam/security-credentials/${encodeURIComponent(role.trim())}`, headers);
  return readIdentity(answer, at);
}

function readIdentity(answer: HttpAnswer, at: string): Identity {
  const found = answer.status === 200 ? jsonObject(answer.body) : undefined;
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = found ?? {};
  const expiresAt = Date.parse(String(Expiration));
  if (
    typeof AccessKeyId !== 'string' ||
    typeof SecretAccessKey !== 'string' ||
    typeof Token !== 'string' ||
    Number.isNaN(expiresAt)
  )
    throw unexpected(answer, at);
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiresAt };
}

function unexpected({ status }: HttpAnswer, at: string): ProviderError {
  const message = `${at} gave no credentials (HTTP ${status}). Check that a role is attached.`;
  return new ProviderError({ kind: status >= 500 ? 'unavailable' : 'auth', message, httpStatus: status, sent: false });
}

function textOf({ body }: HttpAnswer): string {
  return Buffer.from(body).toString('utf8');
}
