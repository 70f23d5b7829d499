import { toDnsName } from '@zoneproof/dns';
import { whyNotAllowed } from '../reconcile/allowance.ts';
import { candidateProviders } from '../reconcile/choose-provider.ts';
import { type CertificateSpec, objectTitle } from '../resources/index.ts';
import { quote, suggest } from './header.ts';
import type { CheckedIssuer } from './issuer.ts';
import type { ReportProblem } from './problem.ts';
import { type CheckedProvider, secretRefsOf } from './provider.ts';
import type { SecretLookup } from './secrets.ts';

/** What references are checked between. */
export interface DeclaredCertificate {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: something in it is wrong, which has been told. */
  readonly spec: CertificateSpec | undefined;
  /** As the manifest has it: wrong fields beside it are no reason to keep quiet about a missing Issuer. */
  readonly issuerRef: CertificateSpec['issuerRef'] | undefined;
  readonly report: ReportProblem;
}

type ValidCertificate = DeclaredCertificate & { readonly spec: CertificateSpec };

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
  checkSecretNames(certificates.filter(isValid), issuers, secrets);
  const byTitle = new Map(issuers.map((issuer) => [objectTitle(issuer), issuer]));
  for (const certificate of certificates) {
    const { spec, issuerRef, report } = certificate;
    if (issuerRef === undefined) continue;
    const kind = issuerRef.kind ?? 'Issuer';
    const namespace = kind === 'ClusterIssuer' ? '' : certificate.namespace;
    const issuer = byTitle.get(objectTitle({ kind, namespace, name: issuerRef.name }));
    if (issuer === undefined) reportMissingIssuer(issuerRef.name, report, kind, namespace, issuers);
    else if (spec !== undefined && issuer.checked !== undefined) {
      const notAllowed = whyNotAllowed(
        { kind, spec: issuer.checked.spec, metadata: issuer },
        certificate.namespace,
        spec.dnsNames,
      );
      if (notAllowed !== undefined) report(['spec', 'issuerRef', 'name'], notAllowed.message);
      checkMappedProviders(spec, issuer, report);
      if (issuer.checked.providers !== undefined) checkDomains(spec, issuer, issuer.checked.providers, report);
    }
  }
}

function reportMissingIssuer(
  name: string,
  report: ReportProblem,
  kind: 'Issuer' | 'ClusterIssuer',
  namespace: string,
  issuers: readonly DeclaredIssuer[],
): void {
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
      report(
        path,
        `no provider of ${objectTitle(issuer)} serves ${domain}: going by its fields and Secrets, ${names} cannot write its TXT record; add the domain there${credentialsOf(candidates)} or a provider that serves it.`,
      );
    }
  }
}

/** Which Secrets decide what these providers can write. */
function credentialsOf(providers: readonly CheckedProvider[]): string {
  const refs = providers.flatMap(({ spec }) => secretRefsOf(spec, [])).map(({ ref }) => `${ref.name}/${ref.key}`);
  return refs.length === 0 ? '' : ` (Secret ${[...new Set(refs)].join(', ')})`;
}

function blockOf({ spec }: CheckedProvider): string {
  return Object.keys(spec).find((key) => key !== 'name' && key !== 'selector') ?? 'provider';
}

function isValid(certificate: DeclaredCertificate): certificate is ValidCertificate {
  return certificate.spec !== undefined;
}

function checkSecretNames(
  certificates: readonly ValidCertificate[],
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
