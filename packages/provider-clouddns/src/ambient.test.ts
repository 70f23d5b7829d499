import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createApiRequests,
  createEgress,
  type Egress,
  EgressError,
  type HttpRequest,
  ProviderError,
} from '@zoneproof/core';
import { type GoogleCloudDns, startGoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import { ambientCredentials } from './ambient.ts';
import { startBench } from './testing/bench-host.ts';
import { TokenRequests } from './token-requests.ts';

const metadata = 'http://metadata.test';
let emulator: GoogleCloudDns;
let direct: Egress;
let folder: string;
const urls: string[] = [];
const egress = {} as { -readonly [Key in keyof Egress]: Egress[Key] };

beforeAll(async () => {
  emulator = await startGoogleCloudDns();
  direct = createEgress({ caBundle: emulator.caBundle });
  Object.assign(egress, direct, {
    // The emulator has every host of Google's under one address; where nobody listens there is no metadata server.
    http(request: HttpRequest) {
      urls.push(request.url);
      if (request.url.startsWith('http://169.254.169.254/'))
        throw new EgressError('unreachable', '169.254.169.254: no route', false);
      return direct.http({ ...request, url: request.url.replace(/^https?:\/\/[^/]+/, emulator.origin) });
    },
    withCaBundle: () => egress,
  });
  folder = await mkdtemp(join(tmpdir(), 'clouddns-'));
});

afterAll(async () => {
  await direct.close();
  await emulator.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  urls.length = 0;
});

/** A token by these variables alone, and whether the API takes it. */
async function get(env: Record<string, string>, anyTokenUrl = false): Promise<string> {
  const bench = startBench({ project: emulator.project }, { egress });
  const host = { providerName: 'clouddns "t"', egress, clock: { now: Date.now } } as never;
  const requests = new TokenRequests(host, () => createApiRequests(host), 'the ambient credentials');
  const services = { at: 'clouddns "t"', env, requests, now: Date.now, anyTokenUrl };
  const credentials = await ambientCredentials(services, bench.call());
  const { value } = await credentials.exchange(bench.call());
  const headers = { authorization: `Bearer ${value.text()}` };
  const url = `${emulator.origin}/dns/v1/projects/${emulator.project}/managedZones`;
  const { status } = await direct.http({ method: 'GET', url, headers });
  return `${status}${credentials.quotaProject === undefined ? '' : ` for ${credentials.quotaProject}`}`;
}

async function fileOf(content: object | string, name = 'adc.json'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const google = (key: object) => ({ ...key, token_uri: 'https://oauth2.googleapis.com/token' });

function federation(credentialSource: object, more: object = {}): object {
  return {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k8s',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: credentialSource,
    ...more,
  };
}

test('the file that GOOGLE_APPLICATION_CREDENTIALS names comes first: a login of gcloud, with its quota project', async () => {
  const path = await fileOf(google(emulator.newUser()));
  expect(await get({ GOOGLE_APPLICATION_CREDENTIALS: path, CLOUDSDK_CONFIG: '/nowhere' })).toBe('200 for test-project');
  const env = { GOOGLE_APPLICATION_CREDENTIALS: path, GOOGLE_CLOUD_QUOTA_PROJECT: 'other' };
  expect(await get(env)).toBe('200 for other');
  expect(urls).toEqual(['https://oauth2.googleapis.com/token', 'https://oauth2.googleapis.com/token']);
});

test('a service account there needs its own token URL to be trusted', async () => {
  const path = await fileOf(emulator.serviceAccount);
  expect(await get({ GOOGLE_APPLICATION_CREDENTIALS: path }, true)).toBe('200');
  await expect(get({ GOOGLE_APPLICATION_CREDENTIALS: path })).rejects.toThrow(/token_uri leads away from Google/);
});

test.each(['CLOUDSDK_CONFIG', 'HOME'])('then the file of gcloud, found by %s', async (variable) => {
  const gcloud = join(folder, '.config', 'gcloud');
  await mkdir(gcloud, { recursive: true });
  await fileOf(google(emulator.newUser()), '.config/gcloud/application_default_credentials.json');
  expect(await get({ [variable]: variable === 'HOME' ? folder : gcloud })).toBe('200 for test-project');
});

test('then the metadata server', async () => {
  expect(await get({ HOME: join(folder, 'empty'), GCE_METADATA_HOST: 'metadata.test' })).toBe('200');
  expect(urls).toEqual([`${metadata}/computeMetadata/v1/instance/service-accounts/default/token`]);
});

test('where there is nothing, all three places are named, and a later attempt may find something', async () => {
  await expect(get({})).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(
      /GOOGLE_APPLICATION_CREDENTIALS is not set.*gcloud.*metadata server.*169\.254\.169\.254/,
    ),
  });
});

test('workload identity: a token from a file, from JSON, from a URL, and with a service account to impersonate', async () => {
  emulator.trustSubjectToken('pod-token');
  const file = await fileOf('pod-token\n', 'token');
  const env = async (source: object, more?: object) => ({
    GOOGLE_APPLICATION_CREDENTIALS: await fileOf(federation(source, more)),
  });
  expect(await get(await env({ file }))).toBe('200');
  const json = await fileOf({ value: { ignored: 1 }, id_token: 'pod-token' }, 'token.json');
  const format = { type: 'json', subject_token_field_name: 'id_token' };
  expect(await get(await env({ file: json, format }))).toBe('200');
  urls.length = 0;
  const email = emulator.serviceAccount.client_email;
  const service_account_impersonation_url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken`;
  expect(await get(await env({ file }, { service_account_impersonation_url, quota_project_id: 'q' }))).toBe(
    '200 for q',
  );
  expect(urls.map((url) => new URL(url).host)).toEqual(['sts.googleapis.com', 'iamcredentials.googleapis.com']);
  const url = 'http://169.254.169.254/identity';
  await expect(get(await env({ url }))).rejects.toThrow(/did not answer to the request for a subject token/);
});

test.each<[string, object | string, RegExp]>([
  ['no JSON', 'xyzzy-secret', /is no JSON object/],
  ['an unknown type', { type: 'gdch_service_account', private_key: 'xyzzy-secret' }, /type that is not supported/],
  ['an executable', federation({ executable: { command: 'xyzzy-secret' } }), /neither a file nor a URL/],
  ['AWS', federation({ environment_id: 'aws1' }), /neither a file nor a URL/],
  ['no token', federation({ file: '/dev/null' }), /holds no token/],
  [
    'a foreign STS',
    federation({ file: '/dev/null' }, { token_url: 'https://sts.example.net/' }),
    /token_url that leads away/,
  ],
  [
    'a foreign impersonation',
    federation({ file: '/dev/null' }, { service_account_impersonation_url: 'https://iam.example.net/' }),
    /impersonation_url that leads away/,
  ],
  ['fields missing', { type: 'authorized_user', refresh_token: 'xyzzy-secret' }, /lacks the field client_id/],
])('a file with %s is refused with its path, and nothing of it is repeated', async (_title, content, says) => {
  const path = await fileOf(content);
  const error: unknown = await get({ GOOGLE_APPLICATION_CREDENTIALS: path }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'auth', message: expect.stringMatching(says) });
  expect((error as Error).message).toContain(path);
  expect(JSON.stringify(error)).not.toMatch(/xyzzy-secret/);
});

test('a file that is named and not there is an error, not the next place', async () => {
  const env = { GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'missing'), GCE_METADATA_HOST: 'metadata.test' };
  await expect(get(env)).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

test('a block without serviceAccountSecretRef works by the environment, one with it never looks there', async () => {
  const before = { ...process.env };
  const path = await fileOf(google(emulator.newUser()));
  Object.assign(process.env, {
    GOOGLE_APPLICATION_CREDENTIALS: path,
    GOOGLE_CLOUD_PROJECT: 'hostile',
    GCE_METADATA_HOST: 'hostile.invalid',
    HTTPS_PROXY: 'http://hostile.invalid:1',
    GOOGLE_CLOUD_QUOTA_PROJECT: 'hostile',
  });
  try {
    const ambient = startBench({ project: emulator.project }, { egress });
    expect(await ambient.provider.listZones?.(ambient.call())).toHaveLength(1);
    expect(ambient.permits).toEqual(['token', 'api']);
    await rm(path);
    const serviceAccountSecretRef = { name: 'clouddns', key: 'key' };
    const config = { project: emulator.project, serviceAccountSecretRef, endpoint: emulator.origin };
    const seen: HttpRequest[] = [];
    const watched: Egress = {
      ...egress,
      http(request) {
        seen.push(request);
        return egress.http(request);
      },
    };
    const secrets = () => ({ clouddns: { key: JSON.stringify(emulator.serviceAccount) } });
    const bound = startBench(config, { egress: watched, secrets });
    expect(await bound.provider.listZones?.(bound.call())).toHaveLength(1);
    expect(seen).toHaveLength(2);
    expect(JSON.stringify(seen)).not.toMatch(/hostile|x-goog-user-project/);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
});

test('a permit that is refused is no word about the machine', async () => {
  const refused = new ProviderError({ kind: 'rate-limited', message: 'wait', retryAfterMs: 9_000, sent: false });
  const bench = startBench({ project: emulator.project }, { egress });
  const host = { providerName: 'clouddns "t"', egress, clock: { now: Date.now } } as never;
  const requests = new TokenRequests(host, () => createApiRequests(host), 'the ambient credentials');
  const services = { at: 'clouddns "t"', env: {}, requests, now: Date.now, anyTokenUrl: false };
  const call = { ...bench.call(), permit: () => Promise.reject(refused) };
  const { exchange } = await ambientCredentials(services, call);
  await expect(exchange(call)).rejects.toBe(refused);
});
