import {
  type AdmissionRule,
  type ConfigProblem,
  caBundleField,
  endpointAdmission,
  endpointField,
  endpointProblems,
  type ReadSecret,
  type Static,
  secretRef,
  Type,
} from '@zoneproof/core';
import { credentialFields, credentialProblem } from './credentials.ts';

/** Fields of the block `fastdns`. */
export const schema = Type.Object(
  {
    serviceConsumerDomain: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Host name of the API client: `host` in .edgerc, without https://.',
      examples: ['akab-h05tnam3wl42son7-nktnlnnx-kbob3i3v.luna.akamaiapis.net'],
    }),
    clientTokenSecretRef: secretRef('the client token: `client_token` in .edgerc'),
    clientSecretSecretRef: secretRef('the client secret: `client_secret` in .edgerc'),
    accessTokenSecretRef: secretRef('the access token: `access_token` in .edgerc'),
    accountSwitchKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[A-Za-z0-9:._-]+$',
        description: 'Account to work in, for an API client that may manage several.',
        examples: ['1-5C0YLB:1-8BYUX'],
      }),
    ),
    endpoint: Type.Optional(endpointField('https:// and `serviceConsumerDomain`. Requests are signed for its host')),
    caBundle: Type.Optional(caBundleField()),
  },
  {
    additionalProperties: false,
    description: 'Akamai Edge DNS (formerly Fast DNS): primary zones, through the Edge DNS API v2 with EdgeGrid.',
  },
);

export type FastdnsConfig = Static<typeof schema>;

const vendorDomain = '.luna.akamaiapis.net';

/** What the schema cannot say. Pure. */
export function configProblems(config: FastdnsConfig): readonly ConfigProblem[] {
  return [...hostProblems(config), ...originProblems(config), ...sharedEntryProblems(config)];
}

const distinctEntries = [
  ['clientToken', 'clientSecret'],
  ['clientToken', 'accessToken'],
  ['clientSecret', 'accessToken'],
]
  .map(([one, other]) => [`self.${one}SecretRef`, `self.${other}SecretRef`])
  .map(([one, other]) => `(${one}.name != ${other}.name || ${one}.key != ${other}.key)`)
  .join(' && ');

/** What of it CEL can say. */
export const admission: readonly AdmissionRule[] = [
  {
    path: 'serviceConsumerDomain',
    rule: "!self.serviceConsumerDomain.matches('[/?#:]')",
    message: `a host name without scheme and path; write akab-...${vendorDomain}`,
  },
  {
    path: 'serviceConsumerDomain',
    rule: String.raw`self.serviceConsumerDomain.matches(r'[/?#:]|^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$')`,
    message: `not a host name; it looks like akab-...${vendorDomain}`,
  },
  {
    rule: distinctEntries,
    message:
      'two of the three references name the same entry; each has one of its own, which may be in the same Secret',
  },
  {
    path: 'endpoint',
    rule: "!has(self.endpoint) || !self.endpoint.matches('^https://[^/?#]+/[^?#]')",
    message: 'has a path; write scheme and host alone, the API lies below /config-dns/v2 of it',
  },
  ...endpointAdmission,
];

/** What is wrong with the contents of the three entries. Pure; repeats nothing of them. */
export function secretProblems(config: FastdnsConfig, read: ReadSecret): readonly ConfigProblem[] {
  return credentialFields.flatMap((field) => {
    const ref = config[field];
    const problem = credentialProblem(field, read(ref)?.text());
    if (problem === undefined) return [];
    return [{ path: field, message: `entry "${ref.key}" of Secret "${ref.name}" ${problem}`, severity: 'error' }];
  });
}

/** Where requests go, and the host they are signed for. */
export function originOf({ endpoint, serviceConsumerDomain }: FastdnsConfig): string {
  return endpoint === undefined ? `https://${serviceConsumerDomain.toLowerCase()}` : new URL(endpoint).origin;
}

/** Akamai counts by account; one API client is one account, unless it switches. */
export function accountOf(config: FastdnsConfig): string {
  const host = new URL(originOf(config)).host;
  return config.accountSwitchKey === undefined ? host : `${host}/${config.accountSwitchKey}`;
}

function hostProblems({ serviceConsumerDomain, endpoint }: FastdnsConfig): readonly ConfigProblem[] {
  const problem = (message: string, severity: 'error' | 'warning'): ConfigProblem[] => [
    { path: 'serviceConsumerDomain', message, severity },
  ];
  const bare = serviceConsumerDomain.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '');
  const isHost = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
  if (bare !== serviceConsumerDomain)
    return problem(
      `a host name without scheme and path; write ${isHost.test(bare) ? bare : `akab-...${vendorDomain}`}`,
      'error',
    );
  if (!isHost.test(bare)) return problem(`not a host name; it looks like akab-...${vendorDomain}`, 'error');
  if (endpoint === undefined && !bare.toLowerCase().endsWith(vendorDomain))
    return problem(`not a name under ${vendorDomain.slice(1)}; API clients of Akamai have one there`, 'warning');
  return [];
}

function originProblems(config: FastdnsConfig): readonly ConfigProblem[] {
  const { endpoint } = config;
  const problems = endpointProblems(config);
  if (problems.length > 0 || endpoint === undefined || new URL(endpoint).pathname === '/') return problems;
  const message = `has a path; write ${new URL(endpoint).origin}, the API lies below /config-dns/v2 of it`;
  return [{ path: 'endpoint', message, severity: 'error' }];
}

/** One Secret may hold all three, each in an entry of its own. */
function sharedEntryProblems(config: FastdnsConfig): readonly ConfigProblem[] {
  const entry = (field: (typeof credentialFields)[number]): string => `${config[field].name}/${config[field].key}`;
  return credentialFields.flatMap((field, at): ConfigProblem[] => {
    const other = credentialFields.slice(0, at).find((earlier) => entry(earlier) === entry(field));
    if (other === undefined) return [];
    return [{ path: field, message: `names the same entry as ${other}; each has one of its own`, severity: 'error' }];
  });
}
