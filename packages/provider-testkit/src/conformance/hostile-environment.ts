import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every value holds it, so that it can be found in what goes out. */
export const mark = 'hostile-canary';

export interface HostileEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Holds the files that the variables name; to be removed. */
  readonly directory: string;
}

const origin = `https://${mark}.invalid`;

/** The variables from which vendors' SDKs and well-known clients take keys, endpoints, proxies and files. */
export async function hostileEnvironment(): Promise<HostileEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), `${mark}-`));
  const files: Readonly<Record<string, string>> = {
    'aws-config': `[default]\nregion = ${mark}\nendpoint_url = ${origin}\n`,
    'aws-credentials': `[default]\naws_access_key_id = ${mark}\naws_secret_access_key = ${mark}\n`,
    'aws-token': mark,
    'google.json': JSON.stringify({
      type: 'authorized_user',
      client_id: mark,
      client_secret: mark,
      refresh_token: mark,
    }),
    '.edgerc': `[default]\nhost = ${mark}.invalid\nclient_token = ${mark}\nclient_secret = ${mark}\naccess_token = ${mark}\n`,
  };
  await mkdir(join(directory, '.aws'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  await writeFile(join(directory, '.aws', 'config'), files['aws-config'] as string);
  await writeFile(join(directory, '.aws', 'credentials'), files['aws-credentials'] as string);
  const file = (name: keyof typeof files): string => join(directory, name);
  const named = (value: string, ...names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, value]));

  return {
    directory,
    variables: {
      HOME: directory,
      // https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
      ...named(mark, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION'),
      ...named(mark, 'AWS_DEFAULT_REGION', 'AWS_EXECUTION_ENV', 'AWS_ROLE_ARN', 'AWS_SDK_UA_APP_ID'),
      ...named(origin, 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_ROUTE_53', 'AWS_ENDPOINT_URL_STS'),
      ...named(origin, 'AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_EC2_METADATA_SERVICE_ENDPOINT'),
      AWS_CONFIG_FILE: file('aws-config'),
      AWS_SHARED_CREDENTIALS_FILE: file('aws-credentials'),
      AWS_WEB_IDENTITY_TOKEN_FILE: file('aws-token'),
      AWS_MAX_ATTEMPTS: '7',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      // https://cloud.google.com/docs/authentication/application-default-credentials
      ...named(mark, 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT', 'GOOGLE_CLOUD_QUOTA_PROJECT'),
      ...named(`${mark}.invalid`, 'GCE_METADATA_HOST', 'GOOGLE_CLOUD_UNIVERSE_DOMAIN'),
      GOOGLE_APPLICATION_CREDENTIALS: file('google.json'),
      CLOUDSDK_CONFIG: directory,
      // https://github.com/cloudflare/cloudflare-typescript
      ...named(mark, 'CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY', 'CLOUDFLARE_EMAIL'),
      ...named(mark, 'CLOUDFLARE_API_USER_SERVICE_KEY', 'CF_API_TOKEN', 'CF_API_KEY', 'CF_API_EMAIL'),
      CLOUDFLARE_BASE_URL: origin,
      CLOUDFLARE_CUSTOM_HEADERS: `x-${mark}: ${mark}`,
      // https://github.com/akamai/AkamaiOPEN-edgegrid-node
      ...named(mark, 'AKAMAI_CLIENT_TOKEN', 'AKAMAI_CLIENT_SECRET', 'AKAMAI_ACCESS_TOKEN'),
      AKAMAI_HOST: `${mark}.invalid`,
      AKAMAI_EDGERC: file('.edgerc'),
      // Other ACME clients
      ...named(mark, 'RFC2136_TSIG_KEY', 'RFC2136_TSIG_SECRET'),
      RFC2136_NAMESERVER: '192.0.2.1:53',
      ACME_DNS_API_BASE: origin,
      ACME_DNS_STORAGE_PATH: file('google.json'),
      // The egress takes its proxy from the host alone.
      ...named(origin, 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'),
    },
  };
}
