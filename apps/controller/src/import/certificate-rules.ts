import type { Told } from './finding.ts';
import { fromGoDuration } from './go-duration.ts';
import { type FieldRule, type Fields, isFields, type Scope } from './rules.ts';

const decidedByCa: Told = {
  level: 'note',
  why: 'A CA that speaks ACME decides on it itself.',
  todo: 'Nothing to do.',
};

const notByDns: Told = {
  level: 'refused',
  why: 'DNS01 proves domain names only.',
  todo: 'Keep this certificate with another tool, or make one with its dnsNames alone.',
};

const sizes: Readonly<Record<string, readonly number[]>> = { ECDSA: [256, 384], RSA: [2048, 3072, 4096] };

const rules: readonly FieldRule[] = [
  { field: 'secretName', to: 'secretName', remark: 'Key and certificate in it are used on until they are due.' },
  { field: 'secretTemplate.labels', to: 'secretTemplate.labels', as: nonEmpty },
  { field: 'secretTemplate.annotations', to: 'secretTemplate.annotations', as: nonEmpty },
  { field: 'dnsNames', to: 'dnsNames' },
  {
    field: 'commonName',
    remark: 'zoneproof asks for no common name; with ACME it has to be one of `dnsNames` anyway.',
    without: {
      level: 'left-out',
      when: (value, { fields }) => value !== '' && !(Array.isArray(fields.dnsNames) && fields.dnsNames.includes(value)),
      why: 'It is not among dnsNames, so that cert-manager got no certificate from an ACME CA either.',
      todo: 'Add it to dnsNames if it is wanted.',
    },
  },
  { field: 'ipAddresses', without: notByDns },
  { field: 'uris', without: notByDns },
  { field: 'emailAddresses', without: notByDns },
  { field: 'otherNames', without: notByDns },
  {
    field: 'subject',
    without: {
      level: 'left-out',
      why: 'zoneproof asks for names only; public CAs leave a subject out of the certificate.',
      todo: 'Nothing to do with a public CA; a private one may take the subject from a profile.',
    },
  },
  {
    field: 'literalSubject',
    without: {
      level: 'left-out',
      why: 'zoneproof asks for names only; public CAs leave a subject out of the certificate.',
      todo: 'Nothing to do with a public CA; a private one may take the subject from a profile.',
    },
  },
  { field: 'duration', remark: 'cert-manager uses it with `enableDurationFeature` only.', without: decidedByCa },
  {
    field: 'renewBefore',
    to: 'renewBefore',
    as: (value) => fromGoDuration(String(value)),
    remark:
      'Where both are missing, both renew after two thirds of the lifetime; zoneproof after half of less than 10 days.',
    without: {
      level: 'left-out',
      when: (value) => fromGoDuration(String(value)) === undefined,
      why: 'It is no duration.',
      todo: 'Write one like 720h.',
    },
  },
  { field: 'renewBeforePercentage', to: 'renewBefore', as: (value) => `${String(value)}%` },
  {
    field: 'privateKey.algorithm',
    to: 'privateKey.algorithm',
    missing: () => 'RSA',
    remark:
      "`RSA` where it is missing: cert-manager's default. Take the line out to get ECDSA keys, and new certificates.",
    without: {
      level: 'refused',
      when: (value) => !Object.hasOwn(sizes, String(value)),
      why: 'zoneproof makes ECDSA and RSA keys.',
      todo: 'Make a Certificate with one of these; few CAs take Ed25519.',
    },
  },
  {
    field: 'privateKey.size',
    to: 'privateKey.size',
    as: (value) => (value === 0 ? undefined : value),
    without: {
      level: 'refused',
      when: (value, { fields }) => {
        const { algorithm = 'RSA' } = isFields(fields.privateKey) ? fields.privateKey : {};
        return value !== 0 && !(sizes[String(algorithm)] ?? [value]).includes(value as number);
      },
      why: 'zoneproof makes ECDSA keys of 256 and 384 bits and RSA keys of 2048, 3072 and 4096.',
      todo: 'Make a Certificate with one of these.',
    },
  },
  {
    field: 'privateKey.rotationPolicy',
    to: 'privateKey.rotationPolicy',
    remark: '`Always` where it is missing, as in cert-manager since 1.18; write `Never` where keys are pinned.',
  },
  {
    field: 'privateKey.encoding',
    remark: 'The next key is PKCS #8, also where this is missing, while cert-manager writes PKCS #1 then.',
    without: {
      level: 'left-out',
      when: (value) => value === 'PKCS1',
      why: 'zoneproof writes keys as PKCS #8 ("BEGIN PRIVATE KEY"); the present key stays as it is until the renewal.',
      todo: 'Look whether what reads tls.key takes that, as everything built on OpenSSL, Go or Java 8 and later does.',
    },
  },
  { field: 'usages', without: decidedByCa },
  { field: 'encodeUsagesInRequest', remark: 'About `usages`.' },
  { field: 'signatureAlgorithm', without: decidedByCa },
  {
    field: 'isCA',
    without: {
      level: 'refused',
      why: 'No ACME CA issues certificates of CAs.',
      todo: 'Keep this one with another tool.',
    },
  },
  {
    field: 'nameConstraints',
    without: { level: 'refused', why: 'No ACME CA issues them.', todo: 'Keep this one with another tool.' },
  },
  {
    field: 'keystores',
    without: {
      level: 'left-out',
      when: (value) => Object.values(value as Fields).some((store) => isFields(store) && store.create === true),
      why: 'zoneproof writes PEM only; the keystore in the Secret is not renewed with it.',
      todo: 'Let the workload make it from tls.key and tls.crt when it starts.',
    },
  },
  {
    field: 'additionalOutputFormats',
    without: {
      level: 'left-out',
      why: 'zoneproof writes tls.key, tls.crt and ca.crt; other entries of the Secret are not renewed with them.',
      todo: 'Let the workload read the two files, or put them together when it starts.',
    },
  },
  {
    field: 'revisionHistoryLimit',
    without: { level: 'note', why: 'zoneproof keeps the newest Order of a Certificate.', todo: 'Nothing to do.' },
  },
  { field: 'issuerRef.name', to: 'issuerRef.name' },
  { field: 'issuerRef.kind', to: 'issuerRef.kind', as: (value) => (value === '' ? undefined : value) },
  {
    field: 'issuerRef.group',
    remark: '`cert-manager.io`.',
    without: {
      level: 'refused',
      when: (value) => value !== '' && value !== 'cert-manager.io',
      why: 'The issuer is one of another controller.',
      todo: 'Keep this certificate with cert-manager, or give it an ACME Issuer.',
    },
  },
];

function nonEmpty(value: unknown): unknown {
  return isFields(value) && Object.keys(value).length > 0 ? value : undefined;
}

/** `spec` of a Certificate. https://cert-manager.io/docs/reference/api-docs/#cert-manager.io/v1.CertificateSpec */
export const certificateScope: Scope = { at: 'spec', to: 'spec', rules };
