import { isIP } from 'node:net';
import { secretRef } from './issuer-rules.ts';
import type { Around, FieldRule, Fields } from './rules.ts';

/** A DNS01 solver of cert-manager with the provider block that does the same. */
export interface ProviderMapping {
  /** Key in `solvers[].dns01`. */
  readonly solver: string;
  readonly block: string;
  readonly rules: readonly FieldRule[];
}

const same = (field: string): FieldRule => ({ field, to: field, as: (value) => (value === '' ? undefined : value) });
const ref = (field: string): FieldRule => ({ field, to: field, as: secretRef });

/** Where credentials are left out, the controller's own are used. */
const ambient =
  'Without it: ambient credentials, for a namespaced Issuer with `--issuer-ambient-credentials` only, as before.';

/** https://cert-manager.io/docs/reference/api-docs/#acme.cert-manager.io/v1.ACMEChallengeSolverDNS01 */
export const providerMappings: readonly ProviderMapping[] = [
  {
    solver: 'route53',
    block: 'routedns',
    rules: [
      {
        field: 'region',
        to: 'region',
        missing: () => 'us-east-1',
        remark:
          '`us-east-1` where it is missing: Route 53 is the same in all regions of a partition. In China and GovCloud write one of theirs.',
      },
      same('accessKeyID'),
      {
        field: 'accessKeyIDSecretRef',
        to: 'accessKeyID',
        as: (value, { secretText }) => secretText(value as { name: string; key: string })?.trim(),
        remark: 'The id itself, which is no secret, out of the Secret.',
        without: {
          level: 'refused',
          when: (value, { secretText }) =>
            secretRef(value) !== undefined && secretText(value as { name: string; key: string }) === undefined,
          why: 'zoneproof has the access key id in the Issuer, and the Secret with it was not read.',
          todo: 'Give that Secret with the manifests, or write accessKeyID here instead.',
        },
      },
      { ...ref('secretAccessKeySecretRef'), remark: ambient },
      same('role'),
      same('hostedZoneID'),
      {
        field: 'auth',
        without: {
          level: 'left-out',
          why: 'zoneproof asks for no tokens of ServiceAccounts.',
          todo: "Bind zoneproof's own ServiceAccount to the role (IRSA, EKS Pod Identity), or give an access key.",
        },
      },
    ],
  },
  {
    solver: 'cloudDNS',
    block: 'clouddns',
    rules: [
      same('project'),
      { ...ref('serviceAccountSecretRef'), remark: ambient },
      { ...same('hostedZoneName'), to: 'managedZone' },
    ],
  },
  {
    solver: 'cloudflare',
    block: 'edgedns',
    rules: [
      {
        field: 'email',
        to: 'email',
        as: (value, { fields }) => (value === '' || hasRef(fields.apiTokenSecretRef) ? undefined : value),
        remark: 'Left out beside `apiTokenSecretRef`: only the key needs it.',
      },
      ref('apiKeySecretRef'),
      ref('apiTokenSecretRef'),
    ],
  },
  {
    solver: 'akamai',
    block: 'fastdns',
    rules: [
      same('serviceConsumerDomain'),
      ref('clientTokenSecretRef'),
      ref('clientSecretSecretRef'),
      ref('accessTokenSecretRef'),
    ],
  },
  {
    solver: 'rfc2136',
    block: 'rfc2136',
    rules: [
      {
        field: 'nameserver',
        to: 'nameserver',
        as: bareAddress,
        remark: 'An address; zoneproof does not look up the name of a server that it signs for.',
        without: {
          level: 'refused',
          when: (value) => bareAddress(value) === undefined,
          why: 'It is no IP address, and zoneproof updates a server at an address only.',
          todo: "Write the server's address, with its port if that is not 53.",
        },
      },
      same('tsigKeyName'),
      {
        field: 'tsigAlgorithm',
        to: 'tsigAlgorithm',
        as: (value, around) => (value === '' ? defaultAlgorithm(around) : value),
        missing: defaultAlgorithm,
        remark: "`HMACMD5` where it is missing beside a key: cert-manager's default.",
      },
      ref('tsigSecretSecretRef'),
      {
        field: 'protocol',
        without: {
          level: 'note',
          when: (value) => value === 'TCP',
          why: 'zoneproof begins with UDP and goes on with TCP where that fails.',
          todo: 'Nothing to do unless the server must not be asked by UDP.',
        },
      },
    ],
  },
  {
    solver: 'acmeDNS',
    block: 'acmedns',
    rules: [
      { ...same('host'), remark: 'With its scheme.' },
      {
        ...ref('accountSecretRef'),
        remark: 'The document is read as it is.',
      },
    ],
  },
];

function defaultAlgorithm({ fields }: Around): string | undefined {
  return typeof fields.tsigKeyName === 'string' && fields.tsigKeyName !== '' ? 'HMACMD5' : undefined;
}

function hasRef(value: unknown): boolean {
  return value !== undefined && value !== null && secretRef(value as Fields) !== undefined;
}

/** `[2001:db8::53]`, `192.0.2.53:` -> without brackets and colon; undefined when it begins with no address. */
function bareAddress(value: unknown): string | undefined {
  const text = String(value).trim();
  const [, host = '', port = ''] = /^\[(.+)\](?::(\d*))?$/.exec(text) ??
    /^([^:]+)(?::(\d*))?$/.exec(text) ?? ['', text, ''];
  if (isIP(host) === 0) return undefined;
  if (port === '') return host;
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
