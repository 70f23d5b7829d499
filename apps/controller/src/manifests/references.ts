import { toDnsName } from '@zoneproof/dns';
import { candidateProviders } from '../reconcile/choose-provider.ts';
import { type CertificateSpec, objectTitle } from '../resources/index.ts';
import { quote, suggest } from './header.ts';
import type { CheckedIssuer } from './issuer.ts';
import type { ReportProblem } from './problem.ts';
import type { CheckedProvider } from './provider.ts';
import type { SecretLookup } from './secrets.ts';

/** What references are checked between. */
export interface DeclaredCertificate {
  readonly namespace: string;
  readonly name: string;
  readonly spec: CertificateSpec;
  readonly report: ReportProblem;
}

export interface DeclaredIssuer {
  readonly kind: 'Issuer' | 'ClusterIssuer';
  readonly namespace: string;
  readonly name: string;
  /** Undefined: it is there, but invalid. */
  readonly checked: CheckedIssuer | undefined;
}

/** Checks each Certificate against its Issuer, its providers and the other Certificates. */
export function checkReferences(
  certificates: readonly DeclaredCertificate[],
  issuers: readonly DeclaredIssuer[],
  secrets: SecretLookup,
): void {
  checkSecretNames(certificates, issuers, secrets);
  const byTitle = new Map(issuers.map((issuer) => [objectTitle(issuer), issuer]));
  for (const certificate of certificates) {
    const { spec, report } = certificate;
    const kind = spec.issuerRef.kind ?? 'Issuer';
    const namespace = kind === 'ClusterIssuer' ? '' : certificate.namespace;
    const issuer = byTitle.get(objectTitle({ kind, namespace, name: spec.issuerRef.name }));
    if (issuer === undefined) reportMissingIssuer(certificate, kind, namespace, issuers);
    else if (issuer.checked !== undefined) {
      checkMappedProviders(spec, issuer, report);
      if (issuer.checked.providers !== undefined) checkDomains(spec, issuer, issuer.checked.providers, report);
    }
  }
}

function reportMissingIssuer(
  { spec, report }: DeclaredCertificate,
  kind: 'Issuer' | 'ClusterIssuer',
  namespace: string,
  issuers: readonly DeclaredIssuer[],
): void {
  const { name } = spec.issuerRef;
  const path = ['spec', 'issuerRef', 'name'];
  const where = kind === 'ClusterIssuer' ? '' : ` in namespace ${namespace}`;
  const elsewhere = issuers.find((issuer) => issuer.name === name);
  if (elsewhere !== undefined) {
    const remedy =
      elsewhere.kind === kind
        ? `; there is one in namespace ${elsewhere.namespace}: put both into one namespace or use a ClusterIssuer.`
        : `; there is a ${elsewhere.kind} of that name: write issuerRef.kind: ${elsewhere.kind}.`;
    report(path, `there is no ${kind} ${quote(name)}${where}${remedy}`);
    return;
  }
  const names = issuers
    .filter((issuer) => issuer.kind === kind && issuer.namespace === namespace)
    .map((issuer) => issuer.name);
  report(
    path,
    `there is no ${kind} ${quote(name)}${where}${suggest(name, names) || '; add its manifest to the paths given.'}`,
  );
}

function checkMappedProviders(
  spec: CertificateSpec,
  { checked, ...issuer }: DeclaredIssuer,
  report: ReportProblem,
): void {
  const names = checked?.spec.acme.dns01.providers.map((provider) => provider.name) ?? [];
  for (const [i, { provider }] of (spec.dns01 ?? []).entries())
    if (!names.includes(provider))
      report(
        ['spec', 'dns01', i, 'provider'],
        `${objectTitle(issuer)} has no provider ${quote(provider)}${suggest(provider, names) || `; it has ${names.join(', ')}.`}`,
      );
}

function checkDomains(
  spec: CertificateSpec,
  issuer: DeclaredIssuer,
  providers: readonly CheckedProvider[],
  report: ReportProblem,
): void {
  for (const [i, name] of spec.dnsNames.entries()) {
    const domain = toDnsName(name.startsWith('*.') ? name.slice(2) : name);
    const mapped = spec.dns01?.find((entry) =>
      entry.domains.some((other) => other === domain || other === `*.${domain}`),
    );
    if (mapped !== undefined && !providers.some((provider) => provider.spec.name === mapped.provider)) continue;
    const candidates = candidateProviders(providers, spec.dns01, domain);
    const path = ['spec', 'dnsNames', i];
    if (candidates.length === 0)
      report(
        path,
        `no provider of ${objectTitle(issuer)} serves ${domain}: no selector matches it; add the domain to one, or name the provider under dns01.`,
      );
    else if (candidates.every((provider) => provider.serves(domain) === false)) {
      const names = candidates.map((provider) => `${blockOf(provider)} "${provider.spec.name}"`).join(' and ');
      report(path, `no provider of ${objectTitle(issuer)} serves ${domain}: ${names} cannot hold its TXT record.`);
    }
  }
}

function blockOf({ spec }: CheckedProvider): string {
  return Object.keys(spec).find((key) => key !== 'name' && key !== 'selector') ?? 'provider';
}

function checkSecretNames(
  certificates: readonly DeclaredCertificate[],
  issuers: readonly DeclaredIssuer[],
  secrets: SecretLookup,
): void {
  const users = new Map<string, string>();
  for (const { kind, namespace, name, checked } of issuers)
    if (checked !== undefined && kind === 'Issuer')
      users.set(
        `${namespace}/${checked.spec.acme.privateKeySecretRef.name}`,
        `the account key of ${objectTitle({ kind, namespace, name })}`,
      );
  for (const { namespace, name, spec, report } of certificates) {
    const secret = `${namespace}/${spec.secretName}`;
    const other = users.get(secret);
    const path = ['spec', 'secretName'];
    if (other !== undefined)
      report(path, `Secret ${quote(spec.secretName)} is also used by ${other}; give each its own.`);
    else if (secrets.find(namespace, spec.secretName) !== undefined)
      report(path, `Secret ${quote(spec.secretName)} is given by you and is not overwritten; choose another name.`);
    else users.set(secret, `Certificate ${namespace}/${name}`);
  }
}
