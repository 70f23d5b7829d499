import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type HttpRequest, ProviderError } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import { type Route53Emulator, startRoute53, writingPolicy } from '@zoneproof/provider-testkit/route53';
import type { RoutednsConfig } from './config.ts';
import { closeProviders, json, startProvider, type TestHost, type TestHostOptions, text } from './testing/host.ts';

const role = 'arn:aws:iam::123456789012:role/dns01';
const secretRef = { name: 'aws', key: 'secret' };
let aws: Route53Emulator;
let folder: string;
let before: NodeJS.ProcessEnv;

beforeEach(async () => {
  aws = await startRoute53({ zones: ['example.com'] });
  aws.addRole({ arn: role, policy: writingPolicy, externalId: 'shared', webIdentityToken: 'web-token' });
  folder = await mkdtemp(join(tmpdir(), 'routedns-'));
  before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  // Nobody's own files.
  process.env.AWS_CONFIG_FILE = join(folder, 'config');
  process.env.AWS_SHARED_CREDENTIALS_FILE = join(folder, 'credentials');
});

afterEach(async () => {
  process.env = before;
  await closeProviders();
  await aws.close();
  await rm(folder, { recursive: true });
});

const printed: unknown[] = [];

beforeAll(() => {
  jest.spyOn(process, 'emitWarning').mockImplementation((text) => void printed.push(text));
});

afterAll(() => {
  jest.restoreAllMocks();
  // On Node 20 the SDK would speak of newer versions.
  expect(printed).toEqual([]);
});

function start(block: Partial<RoutednsConfig>, options: TestHostOptions = {}): TestHost {
  const { origin: endpoint, caBundle, secretAccessKey: secret } = aws;
  return startProvider({ region: 'eu-central-1', endpoint, caBundle, ...block }, { secret, ...options });
}

const staticKey = () => ({ accessKeyID: aws.accessKeyId, secretAccessKeySecretRef: secretRef });
const list = ({ provider, call }: TestHost) => provider.listZones?.(call);
const failure = (host: TestHost): Promise<ProviderError> =>
  Promise.resolve(list(host)).then(
    () => Promise.reject(new Error('no error')),
    (error: ProviderError) => error,
  );
const actions = () => aws.seen.map(({ action, status }) => `${action} ${status}`);
const file = async (name: string, content: string): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

const camel = (answer: { AccessKeyId: string; SecretAccessKey: string }) => ({
  accessKeyId: answer.AccessKeyId,
  secretAccessKey: answer.SecretAccessKey,
  sessionToken: 'session',
});

describe('the key of the block', () => {
  test('is used as the Secret has it at each call', async () => {
    await expect(list(start(staticKey()))).resolves.toHaveLength(1);
    expect((await failure(start(staticKey(), { secret: 'rotated away' }))).kind).toBe('auth');
  });

  test('nothing of the environment is even looked at', async () => {
    const touched = new Set<string>();
    const { env } = process;
    process.env = new Proxy(env, {
      get: (target, name) => {
        touched.add(String(name));
        return target[String(name)];
      },
    });
    try {
      await list(start({ ...staticKey(), role, externalID: 'shared' }));
    } finally {
      process.env = env;
    }
    // Switches of the SDK about idle sockets, which are not its own here, and about Lambda's globals.
    const known = [
      'AWS_ENABLE_DEFAULT_SOCKET_TIMEOUT_2026',
      'AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA',
      'AWS_LAMBDA_BENCHMARK_MODE',
    ];
    expect(touched.size).toBeGreaterThan(0);
    expect([...touched].filter((name) => /AWS|HOME|PROFILE|PROXY/i.test(name) && !known.includes(name))).toEqual([]);
  });
});

describe('a role', () => {
  test('is assumed with its external id, once until five minutes before its end', async () => {
    const host = start({ ...staticKey(), role, externalID: 'shared' });
    for (const minutes of [0, 54, 56]) {
      host.clock.nowMs = Date.now() + minutes * 60_000;
      aws.setSkewMs(minutes * 60_000);
      await list(host);
    }
    expect(actions()).toEqual([
      'AssumeRole 200',
      'ListHostedZonesByName 200',
      'ListHostedZonesByName 200',
      'AssumeRole 200',
      'ListHostedZonesByName 200',
    ]);
    expect(host.permits).toEqual({ requests: 5 });
  });

  test('that cannot be renewed is used while it lasts', async () => {
    const host = start({ ...staticKey(), role, externalID: 'shared' });
    await list(host);
    host.clock.nowMs += 56 * 60_000;
    aws.setSkewMs(56 * 60_000);
    aws.fail({ kind: 'server-error', on: { action: 'AssumeRole' } });
    await expect(list(host)).resolves.toHaveLength(1);
  });

  test('is assumed once for calls at the same time', async () => {
    const host = start({ ...staticKey(), role, externalID: 'shared' });
    await Promise.all([list(host), list(host), list(host)]);
    expect(actions().filter((action) => action.startsWith('AssumeRole'))).toHaveLength(1);
  });

  test('is assumed anew when AWS refuses its session', async () => {
    const host = start({ ...staticKey(), role, externalID: 'shared' });
    await list(host);
    aws.refuse({ action: 'ListHostedZonesByName', status: 403, code: 'ExpiredToken', message: 'expired' });
    expect((await failure(host)).kind).toBe('auth');
    await list(host);
    expect(actions().filter((action) => action.startsWith('AssumeRole'))).toHaveLength(2);
  });

  test('with another external id ends in a permission error that names role and action', async () => {
    const error = await failure(start({ ...staticKey(), role, externalID: 'other' }));
    expect(error.kind).toBe('permission');
    expect(error.message).toContain(`sts:AssumeRole on resource: ${role}`);
  });

  test('that could not be asked for leaves no doubt that nothing was written', async () => {
    const { provider, call } = start({ ...staticKey(), role, externalID: 'shared' });
    aws.fail({ kind: 'lose-answer', on: { action: 'AssumeRole' } });
    const name = toDnsName('_acme-challenge.example.com');
    const change = { state: 'present', name, value: 'v', ttl: 60, held: { values: [], ttl: undefined } } as const;
    const zone = { id: aws.zoneIdOf('example.com'), name: toDnsName('example.com') };
    expect(await provider.apply(zone, [change], call)).toMatchObject([
      { status: 'failed', error: { kind: 'unavailable', details: { sent: false } } },
    ]);
  });

  test('without endpoint goes to the STS of the region, signed for it', async () => {
    const seen: HttpRequest[] = [];
    const block = { region: 'cn-north-1', role: 'arn:aws-cn:iam::123456789012:role/x', ...staticKey() };
    const host = startProvider(block, {
      secret: 'x',
      answering(request) {
        seen.push(request);
        return text('', 500);
      },
    });
    await failure(host);
    expect(seen.map(({ url }) => url)).toEqual(['https://sts.cn-north-1.amazonaws.com.cn/']);
    expect(seen[0]?.headers?.authorization).toContain('/cn-north-1/sts/aws4_request');
  });
});

describe('ambient credentials', () => {
  test('come from variables', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: aws.accessKeyId, AWS_SECRET_ACCESS_KEY: aws.secretAccessKey });
    await expect(list(start({}))).resolves.toHaveLength(1);
  });

  test('come from the profile rather than from variables where AWS_PROFILE is set', async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIAOTHER', AWS_SECRET_ACCESS_KEY: 'other', AWS_PROFILE: 'dns' });
    const keys = `aws_access_key_id = ${aws.accessKeyId}\naws_secret_access_key = ${aws.secretAccessKey}\n`;
    await file('credentials', `[dns]\n${keys}`);
    await expect(list(start({}))).resolves.toHaveLength(1);
    // The files are read at each call, so that a rotated key works.
    await file('credentials', `[dns]\naws_access_key_id = AKIAGONE\naws_secret_access_key = x\n`);
    expect((await failure(start({}))).details.vendorCode).toBe('InvalidClientTokenId');
  });

  test('a role of a profile is assumed through the egress', async () => {
    const keys = `aws_access_key_id = ${aws.accessKeyId}\naws_secret_access_key = ${aws.secretAccessKey}\n`;
    await file('credentials', `[user]\n${keys}`);
    await file('config', `[default]\nrole_arn = ${role}\nexternal_id = shared\nsource_profile = user\n`);
    const host = start({});
    await expect(list(host)).resolves.toHaveLength(1);
    expect(host.requests[0]).toBe(`POST ${aws.origin}/`);
    expect(actions()).toEqual(['AssumeRole 200', 'ListHostedZonesByName 200']);
  });

  test('an SSO session is used through the egress, and told when it has ended', async () => {
    const start_url = 'https://example.awsapps.com/start';
    await file(
      'config',
      `[default]\nsso_start_url = ${start_url}\nsso_region = eu-west-1\nsso_account_id = 123456789012\nsso_role_name = dns\n`,
    );
    const cache = join(folder, '.aws', 'sso', 'cache');
    await mkdir(cache, { recursive: true });
    process.env.HOME = folder;
    const token = async (expiresAt: number) =>
      writeFile(
        join(cache, `${createHash('sha1').update(start_url).digest('hex')}.json`),
        JSON.stringify({ accessToken: 'sso-token', expiresAt: new Date(expiresAt).toISOString() }),
      );
    const roleCredentials = { ...camel(session()), expiration: Date.now() + 3_600_000 };
    const answering = ({ url }: HttpRequest) =>
      url.startsWith('https://portal.sso.eu-west-1.amazonaws.com/') ? json({ roleCredentials }) : undefined;
    await token(Date.now() + 3_600_000);
    const host = start({}, { answering });
    await list(host)?.catch(() => undefined);
    expect(host.requests).toEqual([
      'GET https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?role_name=dns&account_id=123456789012',
      `GET ${aws.origin}/2013-04-01/hostedzonesbyname?maxitems=100`,
    ]);
    const down = await failure(start({}, { answering: () => text('busy', 503) }));
    expect(down).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('profile "default"') });
    await token(Date.now() - 1_000);
    const error = await failure(start({}, { answering }));
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringMatching(/profile "default".*aws sso login/) });
  });

  test('a web identity token is exchanged, read anew each time', async () => {
    process.env.AWS_ROLE_ARN = role;
    process.env.AWS_WEB_IDENTITY_TOKEN_FILE = await file('token', 'web-token\n');
    await expect(list(start({}))).resolves.toHaveLength(1);
    await file('token', 'other');
    const error = await failure(start({}));
    expect([error.kind, error.details.vendorCode]).toEqual(['auth', 'InvalidIdentityToken']);
    expect(error.message).not.toContain('other');
  });

  test('a web identity token that AWS quotes does not come back', async () => {
    process.env.AWS_ROLE_ARN = role;
    process.env.AWS_WEB_IDENTITY_TOKEN_FILE = await file('token', 'web-token\n');
    const message = "1 validation error detected: Value 'web-token' at 'webIdentityToken' failed to satisfy constraint";
    aws.refuse({ action: 'AssumeRoleWithWebIdentity', status: 400, code: 'ValidationError', message });
    const error = await failure(start({}));
    expect(error.message).toContain("Value '[secret]' at 'webIdentityToken'");
  });

  test.each([
    ['that is missing', undefined, 'cannot be read (ENOENT)'],
    ['that is empty', '\n', 'holds no token'],
    ['that holds more than a token', 'to\nken', 'holds no token'],
  ])('a token file of a container %s is named', async (_title, content, why) => {
    const token = content === undefined ? join(folder, 'missing') : await file('pod-token', content);
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://169.254.170.23/v1/credentials';
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = token;
    const error = await failure(start({}));
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining(`${token} of AWS_CONTAINER`) });
    expect(error.message).toContain(why);
    expect(error.message).toMatch(/^routedns "test"/);
  });

  test('a token file that cannot be read is named', async () => {
    Object.assign(process.env, { AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'missing') });
    expect(await failure(start({}))).toMatchObject({ kind: 'auth', message: expect.stringContaining('ENOENT') });
  });

  const session = () => ({
    Code: 'Success',
    AccessKeyId: aws.accessKeyId,
    SecretAccessKey: aws.secretAccessKey,
    Token: '',
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  });

  test('a container is asked through the egress, with its token', async () => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://169.254.170.23/v1/credentials';
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = await file('pod-token', 'pod\n');
    const host = start(
      {},
      {
        answering: ({ url, headers }) =>
          url === 'http://169.254.170.23/v1/credentials' && headers?.authorization === 'pod'
            ? json(session())
            : undefined,
      },
    );
    await expect(list(host)).resolves.toHaveLength(1);
    await list(host);
    expect(host.requests.filter((request) => request.includes('169.254'))).toHaveLength(1);
  });

  test('a container address out in the world is not asked', async () => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = 'http://evil.example/';
    const host = start({});
    expect((await failure(host)).message).toContain('AWS_CONTAINER_CREDENTIALS_FULL_URI');
    expect(host.requests).toEqual([]);
  });

  const imds = ({ method, url, headers }: HttpRequest) => {
    const path = url.replace('http://169.254.169.254/latest/', '');
    if (path === url) return undefined;
    if (method === 'PUT' && path === 'api/token') return text('imds-token');
    if (headers?.['x-aws-ec2-metadata-token'] !== 'imds-token') return text('', 401);
    return path === 'meta-data/iam/security-credentials/' ? text('dns-role') : json(session());
  };

  test('an instance is asked by IMDSv2 through the egress', async () => {
    const host = start({}, { answering: imds });
    await expect(list(host)).resolves.toHaveLength(1);
    expect(host.requests.slice(0, 3)).toEqual([
      'PUT http://169.254.169.254/latest/api/token',
      'GET http://169.254.169.254/latest/meta-data/iam/security-credentials/',
      'GET http://169.254.169.254/latest/meta-data/iam/security-credentials/dns-role',
    ]);
    expect(host.permits.requests).toBe(host.requests.length);
  });

  test('credential_source of a profile leads to the same place', async () => {
    await file(
      'config',
      `[default]\nrole_arn = ${role}\nexternal_id = shared\ncredential_source = Ec2InstanceMetadata\n`,
    );
    const host = start({}, { answering: imds });
    await expect(list(host)).resolves.toHaveLength(1);
    expect(actions()).toEqual(['AssumeRole 200', 'ListHostedZonesByName 200']);
  });

  test('where there are none, the error says where was looked and what to do', async () => {
    const error = await failure(start({}));
    expect(error.kind).toBe('auth');
    expect(error.message).toMatch(/no AWS credentials around here: .*the profile "default".*set accessKeyID/);
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    const host = start({});
    await failure(host);
    expect(host.requests).toEqual([]);
  });

  test('a limiter that lets nothing through is no lack of credentials', async () => {
    const paused = new ProviderError({ kind: 'rate-limited', message: 'a pause', retryAfterMs: 9 });
    const { provider, call } = start({});
    await expect(provider.listZones?.({ ...call, permit: () => Promise.reject(paused) })).rejects.toMatchObject({
      kind: 'rate-limited',
      details: { retryAfterMs: 9 },
    });
  });

  test('an instance without a role is told', async () => {
    const answering = ({ method, url }: HttpRequest) =>
      url.startsWith('http://169.254.169.254') ? (method === 'PUT' ? text('t') : text('', 404)) : undefined;
    expect((await failure(start({}, { answering }))).message).toMatch(
      /^routedns "test".*: 169.254.169.254 gave no credentials \(HTTP 404\)/,
    );
  });
});

test('a call that is aborted does not wait for credentials', async () => {
  const stop = new AbortController();
  aws.fail({ kind: 'slow', ms: 5_000, on: { action: 'AssumeRole' } });
  const host = start({ ...staticKey(), role, externalID: 'shared' }, { signal: stop.signal });
  const pending = failure(host);
  setTimeout(() => stop.abort(), 30);
  expect((await pending).kind).toBe('aborted');
});
