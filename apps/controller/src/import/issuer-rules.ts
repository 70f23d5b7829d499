import type { Around, FieldRule, Fields, Scope } from './rules.ts';

/** A reference is none when it has no name: an API server prints some as `{name: ""}`. */
export function secretRef(value: unknown): unknown {
  const { name, key } = value as Fields;
  return name === undefined || name === '' ? undefined : { name, ...(key === undefined ? {} : { key }) };
}

const acmeRules: readonly FieldRule[] = [
  { field: 'email', to: 'email', as: (value) => (value === '' ? undefined : value) },
  { field: 'server', to: 'server' },
  {
    field: 'privateKeySecretRef.name',
    to: 'privateKeySecretRef.name',
    remark: 'The account key in it is used on, so that no account is made.',
  },
  {
    field: 'privateKeySecretRef.key',
    remark: 'zoneproof reads entry `tls.key`. Where another is named, that entry is copied when the Secret was given.',
  },
  {
    field: 'externalAccountBinding.keyID',
    to: 'externalAccountBinding.keyID',
  },
  { field: 'externalAccountBinding.keySecretRef', to: 'externalAccountBinding.keySecretRef', as: secretRef },
  {
    field: 'externalAccountBinding.keyAlgorithm',
    without: {
      level: 'note',
      why: 'cert-manager does not use it either.',
      todo: 'Nothing to do: both sign with HS256.',
    },
  },
  { field: 'profile', to: 'profile', as: (value) => (value === '' ? undefined : value) },
  {
    field: 'caBundle',
    to: 'caBundle',
    as: (value) => Buffer.from(String(value), 'base64').toString('utf8'),
    remark: 'From base64 to PEM.',
  },
  {
    field: 'skipTLSVerify',
    without: {
      level: 'left-out',
      why: 'zoneproof never speaks to a CA whose certificate it cannot verify.',
      todo: "Write the root certificate of the CA's server into spec.acme.caBundle.",
    },
  },
  {
    field: 'preferredChain',
    without: {
      level: 'left-out',
      why: 'zoneproof takes the chain that the CA sends first.',
      todo: 'Look whether your clients trust that one; nothing to do where the CA offers only one.',
    },
  },
  {
    field: 'disableAccountKeyGeneration',
    without: {
      level: 'left-out',
      why: 'zoneproof makes a new account key when the Secret of privateKeySecretRef does not exist.',
      todo: 'See that the Secret is there before the Issuer is.',
    },
  },
  {
    field: 'enableDurationFeature',
    without: {
      level: 'left-out',
      why: 'zoneproof asks for no lifetime of its own.',
      todo: 'Take a profile of the CA with the lifetime you want, if it has one: spec.acme.profile.',
    },
  },
  {
    field: 'solvers',
    to: 'dns01.providers',
    as: () => undefined,
    remark: 'One provider for each DNS01 solver, see below.',
  },
];

/** `spec.acme` of Issuer and ClusterIssuer. */
export const acmeScope: Scope = { at: 'spec.acme', to: 'spec.acme', rules: acmeRules };

/** One element of `solvers`, without the block of its provider. */
export const solverScope: Scope = {
  at: 'spec.acme.solvers[]',
  to: 'spec.acme.dns01.providers[]',
  rules: [
    { field: 'selector.dnsZones', to: 'selector.dnsZones', as: nonEmpty },
    {
      field: 'selector.dnsNames',
      to: 'selector.dnsNames',
      as: nonEmpty,
      remark:
        'cert-manager wants both to match where dnsZones is there too, and tells `*.example.com` from `example.com`; zoneproof takes either, and serves both names by one provider. Where a Certificate would get another provider than before, its `dns01` names the right one.',
    },
    {
      field: 'selector.matchLabels',
      remark: "Each Certificate whose labels decide gets the provider's name in its `dns01`.",
      without: {
        level: 'note',
        why: 'zoneproof does not choose providers by labels.',
        todo: 'The Certificates that were read name their provider in spec.dns01 where labels decided; write it into new ones.',
      },
    },
    {
      field: 'dns01.cnameStrategy',
      remark: 'zoneproof always follows CNAMEs, as `Follow` does.',
      without: {
        level: 'note',
        when: (value) => value === 'None',
        why: 'zoneproof always follows a CNAME at _acme-challenge, as a CA does.',
        todo: 'Nothing to do where there is none; else the provider has to serve its target.',
      },
    },
  ],
};

function nonEmpty(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** Solvers that zoneproof has no provider for, by their key in `dns01` or the solver. */
export const foreignSolvers: Readonly<Record<string, string>> = {
  azureDNS: 'zoneproof has no provider for Azure DNS.',
  digitalocean: 'zoneproof has no provider for DigitalOcean.',
};

/** What a solver can be given instead. */
export const otherWays =
  'Install a provider package for it, or lead _acme-challenge by CNAME into a zone that another provider serves.';

/** The entry with the account key, where it is not ours. */
export function otherKeyEntry({ fields }: Pick<Around, 'fields'>): string | undefined {
  const { key } = (fields.privateKeySecretRef ?? {}) as Fields;
  return typeof key === 'string' && key !== '' && key !== 'tls.key' ? key : undefined;
}
