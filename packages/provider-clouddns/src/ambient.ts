import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CallContext, isProviderError, jsonObject, ProviderError, SecretValue } from '@zoneproof/core';
import type { Credentials } from './access-tokens.ts';
import { serviceAccountCredentials } from './assertion.ts';
import { fingerprint, googleTokenUrl, isTrusted, readServiceAccount, scope } from './service-account.ts';
import type { TokenRequests } from './token-requests.ts';

/** What ambient credentials are read with. */
export interface AmbientServices {
  /** For messages. */
  readonly at: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly requests: TokenRequests;
  readonly now: () => number;
  /** The block names an endpoint of its own, and so may files. */
  readonly anyTokenUrl: boolean;
}

/**
 * Application Default Credentials, looked for in Google's order
 * (https://cloud.google.com/docs/authentication/application-default-credentials):
 *
 * 1. the file that GOOGLE_APPLICATION_CREDENTIALS names
 * 2. the file of gcloud
 * 3. the metadata server (Compute Engine, GKE with Workload Identity, Cloud Run)
 *
 * A file may be of the type service_account, authorized_user, or external_account with a token from a file or a URL
 * (workload identity federation), with or without a service account to impersonate. Other types and sources
 * (executables, AWS, certificates) are refused by name. google-auth-library is not used for this: it opens connections
 * of its own and repeats requests.
 */
export async function ambientCredentials(services: AmbientServices, call: CallContext): Promise<Credentials> {
  const { env } = services;
  const quotaProject = env.GOOGLE_CLOUD_QUOTA_PROJECT || undefined;
  const named = env.GOOGLE_APPLICATION_CREDENTIALS;
  if (named) return fromFile(named, await read(named, services, call), quotaProject, services);
  const path = gcloudFile(env);
  const text = path && (await read(path, services, call, 'may be missing'));
  if (path && text) return fromFile(path, text, quotaProject, services);
  return fromMetadata(quotaProject, services);
}

function fromFile(
  path: string,
  text: string,
  quotaProject: string | undefined,
  services: AmbientServices,
): Credentials {
  const file = jsonObject(text);
  if (file === undefined) throw unusable(services, path, 'is no JSON object');
  const id = fingerprint(text);
  const project = quotaProject ?? textOf(file.quota_project_id);
  switch (file.type) {
    case 'service_account': {
      const { account, problem } = readServiceAccount(text, services.anyTokenUrl);
      if (account === undefined) throw unusable(services, path, `cannot be used: ${problem}`);
      return { ...serviceAccountCredentials(id, account, services.requests, services.now), quotaProject: project };
    }
    case 'authorized_user':
      return { id, quotaProject: project, exchange: (call) => refresh(path, file, services, call) };
    case 'external_account':
      return { id, quotaProject: project, exchange: (call) => federate(path, file, services, call) };
    default:
      throw unusable(
        services,
        path,
        'is of a type that is not supported; supported are service_account, authorized_user and external_account',
      );
  }
}

/** RFC 6749 6. */
function refresh(path: string, file: Fields, services: AmbientServices, call: CallContext) {
  const url = trusted(file.token_uri ?? googleTokenUrl, 'token_uri', path, services);
  const form = {
    grant_type: 'refresh_token',
    client_id: needed(file, 'client_id', path, services),
    client_secret: needed(file, 'client_secret', path, services),
    refresh_token: needed(file, 'refresh_token', path, services),
  };
  return services.requests.oauth(url, form, 'the renewal of the login of gcloud', call);
}

/** https://cloud.google.com/iam/docs/workload-identity-federation-with-other-providers, RFC 8693. */
async function federate(path: string, file: Fields, services: AmbientServices, call: CallContext) {
  const { requests } = services;
  const impersonationUrl = file.service_account_impersonation_url;
  const url = trusted(file.token_url ?? 'https://sts.googleapis.com/v1/token', 'token_url', path, services);
  const target =
    impersonationUrl === undefined
      ? undefined
      : trusted(impersonationUrl, 'service_account_impersonation_url', path, services);
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: needed(file, 'audience', path, services),
    scope: target === undefined ? scope : 'https://www.googleapis.com/auth/cloud-platform',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: needed(file, 'subject_token_type', path, services),
    subject_token: await subjectToken(path, file.credential_source, services, call),
  };
  const federated = await requests.oauth(url, form, 'the exchange of the workload identity', call);
  return target === undefined ? federated : requests.impersonate(target, federated.value, scope, call);
}

async function subjectToken(
  path: string,
  source: unknown,
  services: AmbientServices,
  call: CallContext,
): Promise<string> {
  const { file, url, headers, format } = (typeof source === 'object' && source !== null ? source : {}) as Fields;
  let text: string;
  if (typeof file === 'string') text = await read(file, services, call);
  else if (typeof url === 'string' && URL.canParse(url))
    text = await services.requests.text(
      { method: 'GET', url, headers: stringsOf(headers) },
      'the request for a subject token',
      call,
    );
  else throw unusable(services, path, 'has a credential_source that is neither a file nor a URL');
  const { type, subject_token_field_name: member } = (format ?? {}) as Fields;
  const token = type === 'json' ? jsonObject(text)?.[String(member)] : text.trim();
  if (typeof token === 'string' && token !== '') return token;
  throw unusable(services, path, 'has a credential_source that holds no token');
}

/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
function fromMetadata(quotaProject: string | undefined, { at, env, requests }: AmbientServices): Credentials {
  const host = env.GCE_METADATA_IP || env.GCE_METADATA_HOST || '169.254.169.254';
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  return {
    id: `metadata ${host}`,
    quotaProject,
    async exchange(call) {
      const what = 'the request for a token of the metadata server';
      const request = { method: 'GET', url, headers: { 'metadata-flavor': 'Google' }, timeoutMs: 3_000 } as const;
      const answer = await requests.json(request, what, call).catch((error: unknown) => {
        if (!isProviderError(error) || !isUnanswered(error)) throw error;
        const message = `${at}: there are no ambient credentials: GOOGLE_APPLICATION_CREDENTIALS is not set, gcloud has left no file, and no metadata server answers at ${host}. Set serviceAccountSecretRef or one of these.`;
        throw new ProviderError({ ...error.details, message });
      });
      const { access_token: token, expires_in: seconds } = answer;
      if (typeof token === 'string' && token !== '')
        return { value: new SecretValue(Buffer.from(token)), lifetimeMs: (Number(seconds) || 300) * 1000 };
      const message = `${at}: the metadata server at ${host} gives no access token. Attach a service account to this machine or pod.`;
      throw new ProviderError({ kind: 'auth', message, sent: false });
    },
  };
}

/** Nobody is there, or nobody may be asked; and not: no permit, no time, an answer that is none. */
function isUnanswered({ kind, details: { httpStatus, vendorCode } }: ProviderError): boolean {
  if (httpStatus !== undefined) return false;
  return kind === 'permission' || (kind === 'unavailable' && vendorCode !== undefined);
}

type Fields = Readonly<Record<string, unknown>>;

/** The text of a file of the machine; '' when it is not there and that is no error. */
async function read(
  path: string,
  services: AmbientServices,
  call: CallContext,
  missing?: 'may be missing',
): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', signal: call.signal });
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (missing && (code === 'ENOENT' || code === 'ENOTDIR')) return '';
    if (call.signal.aborted)
      throw new ProviderError({
        kind: 'aborted',
        message: `${services.at}: stopped before a file was read`,
        sent: false,
      });
    throw unusable(services, path, `cannot be read (${code})`);
  }
}

function gcloudFile(env: AmbientServices['env']): string | undefined {
  const inHome = env.HOME ? join(env.HOME, '.config', 'gcloud') : undefined;
  const folder =
    env.CLOUDSDK_CONFIG || (process.platform === 'win32' && env.APPDATA ? join(env.APPDATA, 'gcloud') : inHome);
  return folder && join(folder, 'application_default_credentials.json');
}

function trusted(url: unknown, field: string, path: string, services: AmbientServices): string {
  if (isTrusted(url, services.anyTokenUrl)) return url;
  throw unusable(services, path, `has a ${field} that leads away from Google`);
}

function needed(file: Fields, field: string, path: string, services: AmbientServices): string {
  const value = textOf(file[field]);
  if (value !== undefined) return value;
  throw unusable(services, path, `lacks the field ${field}`);
}

function unusable({ at }: AmbientServices, path: string, problem: string): ProviderError {
  const message = `${at}: the file of ambient credentials ${path} ${problem}. Repair it, or set serviceAccountSecretRef.`;
  return new ProviderError({ kind: 'auth', message, sent: false });
}

function stringsOf(headers: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
