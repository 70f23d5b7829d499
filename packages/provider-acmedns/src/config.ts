import {
  type AdmissionRule,
  bundleAdmission,
  type ConfigProblem,
  caBundleField,
  endpointProblems,
  type ReadSecret,
  type Static,
  secretRef,
  serverAdmission,
  Type,
} from '@zoneproof/core';
import { type DnsName, type DnsServer, parseServer } from '@zoneproof/dns';
import { accountOf, readAccounts } from './accounts.ts';

/** Fields of the block `acmedns`. */
export const schema = Type.Object(
  {
    host: Type.String({
      minLength: 8,
      maxLength: 2048,
      description: 'Base URL of the acme-dns API; `/update` and `/health` are below it.',
      examples: ['https://auth.example.net'],
    }),
    accountSecretRef: secretRef(
      'the credentials document: a JSON object of accounts as /register answers them, by domain',
    ),
    nameserver: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 64,
        description:
          'Where acme-dns answers DNS queries, when that is not port 53 of the addresses of `host`: an IP address with an optional port.',
        examples: ['192.0.2.54', '192.0.2.54:5353', '[2001:db8::54]:5353'],
      }),
    ),
    caBundle: Type.Optional(caBundleField()),
  },
  {
    additionalProperties: false,
    description: 'acme-dns: a DNS server that holds nothing but challenge values, reached by CNAMEs.',
  },
);

export type AcmednsConfig = Static<typeof schema>;

/** What the schema cannot say. Pure. */
export function configProblems(config: AcmednsConfig): readonly ConfigProblem[] {
  const { host, nameserver, caBundle } = config;
  return [
    ...hostProblems(host),
    ...nameserverProblems(nameserver),
    ...(caBundle === undefined ? [] : endpointProblems({ caBundle })),
  ];
}

/** What of it CEL can say. */
export const admission: readonly AdmissionRule[] = [
  {
    path: 'host',
    rule: "self.host.matches('^(?i)https?://[^/?#]')",
    message: 'not the URL of an API; write it with its scheme: https://auth.example.net',
  },
  {
    path: 'host',
    rule: "!self.host.matches('^[^/]*//[^/]*@')",
    message: 'carries a user name or password; credentials belong into the Secret of accountSecretRef',
  },
  { path: 'host', rule: "!self.host.matches('[?#]')", message: 'a base URL has neither "?" nor "#"' },
  serverAdmission('nameserver', 'optional'),
  bundleAdmission,
];

/** What is wrong with the credentials document, all at once. Pure; never repeats a user name or a password. */
export function secretProblems(config: AcmednsConfig, read: ReadSecret): readonly ConfigProblem[] {
  const ref = config.accountSecretRef;
  const value = read(ref);
  if (!value) return [];
  return readAccounts(value.text()).problems.map(({ message, severity }) => ({
    path: 'accountSecretRef',
    message: `entry "${ref.key}" of Secret "${ref.name}": ${message}`,
    severity,
  }));
}

/** Whether the document has an account for the domain; undefined when the document is not there. Pure. */
export function serves(config: AcmednsConfig, read: ReadSecret, domain: DnsName): boolean | undefined {
  const value = read(config.accountSecretRef);
  return value && accountOf(readAccounts(value.text()).accounts, domain) !== undefined;
}

/** `https://auth.example.net/api/` + `update` -> `https://auth.example.net/api/update` */
export function endpoint(host: string, path: 'update' | 'health'): string {
  return `${host.replace(/\/+$/, '')}/${path}`;
}

export function nameserverOf(config: AcmednsConfig): DnsServer | undefined {
  return config.nameserver === undefined ? undefined : parseServer(config.nameserver);
}

function hostProblems(host: string): readonly ConfigProblem[] {
  const problem = (message: string, severity: 'error' | 'warning' = 'error'): ConfigProblem[] => [
    { path: 'host', message, severity },
  ];
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return problem('not the URL of an API; write it with its scheme: https://auth.example.net');
  if (url.username !== '' || url.password !== '')
    return problem('carries a user name or password; credentials belong into the Secret of accountSecretRef');
  if (url.search !== '' || url.hash !== '') return problem('a base URL has neither "?" nor "#"');
  if (url.hostname === 'auth.acme-dns.io')
    return problem(
      'auth.acme-dns.io is a public instance: who runs it can get certificates for your domains. Run an acme-dns of your own.',
      'warning',
    );
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return problem('plain http shows the passwords of the accounts to everybody on the way; use https', 'warning');
  return [];
}

function nameserverProblems(nameserver: string | undefined): readonly ConfigProblem[] {
  try {
    if (nameserver !== undefined) parseServer(nameserver);
    return [];
  } catch (error) {
    return [{ path: 'nameserver', message: (error as Error).message, severity: 'error' }];
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
