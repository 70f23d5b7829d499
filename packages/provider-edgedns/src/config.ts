import {
  type AdmissionRule,
  type ConfigProblem,
  caBundleField,
  endpointAdmission,
  endpointField,
  endpointProblems,
  type ReadSecret,
  type SecretRef,
  type Static,
  secretRef,
  Type,
} from '@zoneproof/core';

const vendorsOwn = 'https://api.cloudflare.com/client/v4';

/** Fields of the block `edgedns`. */
export const schema = Type.Object(
  {
    apiTokenSecretRef: Type.Optional(
      secretRef('an API token with the permissions Zone:Zone:Read and Zone:DNS:Edit (recommended)'),
    ),
    email: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 254,
        format: 'email',
        description: 'E-mail address of the Cloudflare user whose Global API Key is used (X-Auth-Email).',
        examples: ['admin@example.com'],
      }),
    ),
    apiKeySecretRef: Type.Optional(
      secretRef("the user's Global API Key (X-Auth-Key), which may do everything that the user may"),
    ),
    endpoint: Type.Optional({
      ...endpointField(vendorsOwn),
      description: `Base URL of the API with its version path, for sovereign and private endpoints. Left out: ${vendorsOwn}.`,
      examples: ['https://cloudflare.example.net/client/v4'],
    }),
    caBundle: Type.Optional(caBundleField()),
  },
  {
    additionalProperties: false,
    description: 'Cloudflare DNS, by an API token or by e-mail address and Global API Key.',
  },
);

export type EdgednsConfig = Static<typeof schema>;

/** How requests prove who sends them. */
export type Login = { readonly token: SecretRef } | { readonly email: string; readonly key: SecretRef };

/** The one way that {@link configProblems} has made sure of. */
export function loginOf({ apiTokenSecretRef, email = '', apiKeySecretRef }: EdgednsConfig): Login {
  if (apiTokenSecretRef !== undefined) return { token: apiTokenSecretRef };
  return { email, key: apiKeySecretRef ?? { name: '', key: '' } };
}

/** `https://api.cloudflare.com/client/v4`, without a slash at its end. */
export function baseUrl({ endpoint = vendorsOwn }: EdgednsConfig): string {
  return new URL(endpoint).href.replace(/\/+$/, '');
}

/** Tokens of one user share their limit, too, but whose a token is can only be found out by asking. */
export function accountOf(config: EdgednsConfig, namespace: string): string {
  const login = loginOf(config);
  const who =
    'token' in login ? `token ${namespace}/${login.token.name}/${login.token.key}` : login.email.toLowerCase();
  return config.endpoint === undefined ? who : `${who} at ${baseUrl(config)}`;
}

/** What the schema cannot say. Pure. */
export function configProblems(config: EdgednsConfig): readonly ConfigProblem[] {
  return [...loginProblems(config), ...endpointProblems(config)];
}

function loginProblems({ apiTokenSecretRef, email, apiKeySecretRef }: EdgednsConfig): readonly ConfigProblem[] {
  const problem = (path: keyof EdgednsConfig, message: string): ConfigProblem[] => [
    { path, message, severity: 'error' },
  ];
  const hasKey = email !== undefined || apiKeySecretRef !== undefined;
  if (apiTokenSecretRef !== undefined)
    return hasKey
      ? problem('apiTokenSecretRef', 'set beside email or apiKeySecretRef; use either the token or the other two')
      : [];
  if (!hasKey)
    return problem(
      'apiTokenSecretRef',
      'no credentials: set apiTokenSecretRef, or email together with apiKeySecretRef',
    );
  if (email === undefined)
    return problem('email', 'missing: a Global API Key works with the e-mail address of its user');
  if (apiKeySecretRef === undefined)
    return problem('apiKeySecretRef', 'missing: an e-mail address works with the Global API Key of its user');
  return [];
}

/** What of it CEL can say. */
export const admission: readonly AdmissionRule[] = [
  {
    rule: 'has(self.apiTokenSecretRef) || has(self.email) || has(self.apiKeySecretRef)',
    message: 'no credentials: set apiTokenSecretRef, or email together with apiKeySecretRef',
  },
  {
    path: 'apiTokenSecretRef',
    rule: '!has(self.apiTokenSecretRef) || !(has(self.email) || has(self.apiKeySecretRef))',
    message: 'set beside email or apiKeySecretRef; use either the token or the other two',
  },
  {
    rule: 'has(self.apiTokenSecretRef) || has(self.email) == has(self.apiKeySecretRef)',
    message: 'email and apiKeySecretRef go together: a Global API Key works with the e-mail address of its user',
  },
  ...endpointAdmission,
];

/** What is wrong with the contents of the Secret. Pure; repeats nothing of them. */
export function secretProblems(config: EdgednsConfig, read: ReadSecret): readonly ConfigProblem[] {
  const login = loginOf(config);
  const [path, ref] =
    'token' in login ? (['apiTokenSecretRef', login.token] as const) : (['apiKeySecretRef', login.key] as const);
  const value = read(ref);
  const problem = value && credentialProblem(login, value.text());
  if (problem === undefined) return [];
  return [{ path, message: `entry "${ref.key}" of Secret "${ref.name}" ${problem}`, severity: 'error' }];
}

const useFastdns =
  'belongs to Akamai, whose Edge DNS some other programs call "edgedns"; here that is the block fastdns, and edgedns is Cloudflare: use fastdns';

/** Field names of Akamai's credentials. */
export const misplacedFields: Readonly<Record<string, string>> = Object.fromEntries(
  ['host', 'serviceConsumerDomain', 'clientTokenSecretRef', 'clientSecretSecretRef', 'accessTokenSecretRef'].map(
    (field) => [field, useFastdns],
  ),
);

/**
 * Completes `entry "token" of Secret "cloudflare" ...`; undefined when the text may be what the block says it is.
 * https://developers.cloudflare.com/fundamentals/api/get-started/token-formats/
 */
export function credentialProblem(login: Login, text: string): string | undefined {
  if (/akab-|akamaiapis\.net|client_secret/.test(text)) return useFastdns;
  if (text === '') return 'is empty';
  if (/^Bearer\s/i.test(text)) return 'begins with "Bearer"; it has to hold the token alone';
  if (!/^[\w-]+$/.test(text))
    return 'holds more than letters, digits, "-" and "_", so it is no credential of Cloudflare';
  const isKey = /^(?:[0-9a-f]{37}|cfk_[\w-]+)$/.test(text);
  const isToken = /^(?:[\w-]{40}|cf[ua]t_[\w-]+)$/.test(text) && !isKey;
  if ('token' in login && isKey)
    return 'holds a Global API Key; put it into apiKeySecretRef together with email, or make an API token';
  if ('key' in login && isToken) return 'holds an API token; put it into apiTokenSecretRef and leave email out';
  return undefined;
}
