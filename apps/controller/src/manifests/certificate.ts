import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { child, type DnsName, DnsNameError, labelsOf, parentOf, toDnsName } from '@zoneproof/dns';
import { parseRenewBefore } from '../reconcile/renew-before.ts';
import { isReservedKey } from '../reconcile/secret-template.ts';
import { type CertificateSpec, certificateSpecSchema } from '../resources/index.ts';
import { isRecord, type ManifestHeader, quote, suggest } from './header.ts';
import type { FieldPath, ReportProblem } from './problem.ts';
import { reportSchemaProblems } from './schema.ts';

const sizes = { ECDSA: [256, 384], RSA: [2048, 3072, 4096, 8192] } as const;

/** Checks the spec of a Certificate by itself; names come back as A-labels. Undefined when it is of the wrong shape. */
export function readCertificate({ fields }: ManifestHeader, report: ReportProblem): CertificateSpec | undefined {
  if (fields.spec === undefined) {
    report(['spec'], 'missing.');
    return undefined;
  }
  const shaped = reportSchemaProblems(certificateSpecSchema, fields.spec, ['spec'], report);
  const spec = isRecord(fields.spec) ? fields.spec : {};
  const { dnsNames, dns01 } = checkCertificate(spec, report);
  if (!shaped || dnsNames === undefined) return undefined;
  return { ...(spec as unknown as CertificateSpec), dnsNames, ...(dns01 === undefined ? {} : { dns01 }) };
}

/** What the schema cannot say of the spec of a Certificate; names come back as A-labels. */
export function checkCertificate(
  spec: Readonly<Record<string, unknown>>,
  report: ReportProblem,
): { readonly dnsNames: DnsName[] | undefined; readonly dns01: CertificateSpec['dns01'] } {
  const dnsNames = checkNames(spec.dnsNames, report);
  const dns01 = checkMapping(spec.dns01, dnsNames, report);
  checkPrivateKey(spec.privateKey, report);
  checkRenewBefore(spec.renewBefore, report);
  checkSecretTemplate(spec.secretTemplate, report);
  if (typeof spec.secretName === 'string' && !/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(spec.secretName))
    report(
      ['spec', 'secretName'],
      `${quote(spec.secretName)} is not a name: a-z, 0-9, "-" and "." with a letter or digit at both ends.`,
    );
  return { dnsNames, dns01 };
}

/** The reference alone, when it has the right shape. */
export function readIssuerRef({ fields: { spec } }: ManifestHeader): CertificateSpec['issuerRef'] | undefined {
  const { name, kind } = isRecord(spec) && isRecord(spec.issuerRef) ? spec.issuerRef : {};
  if (typeof name !== 'string' || name === '') return undefined;
  if (kind === undefined) return { name };
  return kind === 'Issuer' || kind === 'ClusterIssuer' ? { name, kind } : undefined;
}

/** The names as A-labels; undefined when one of them cannot be used. */
function checkNames(given: unknown, report: ReportProblem): DnsName[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const names = given.map((name, i) => checkName(name, ['spec', 'dnsNames', i], report));
  const first = new Map<DnsName, number>();
  for (const [i, name] of names.entries()) {
    if (name === undefined) continue;
    const earlier = first.get(name);
    if (earlier !== undefined)
      report(['spec', 'dnsNames', i], `${name} is listed already as dnsNames[${earlier}]; remove one.`);
    else first.set(name, i);
  }
  for (const [name, i] of first) {
    const wildcard = `*.${parentOf(name)}` as DnsName;
    if (wildcard !== name && first.has(wildcard))
      report(
        ['spec', 'dnsNames', i],
        `${name} is covered by ${wildcard} already; CAs such as Let's Encrypt refuse both in one certificate: remove it.`,
        'warning',
      );
  }
  return names.includes(undefined) ? undefined : (names as DnsName[]);
}

function checkName(given: unknown, path: FieldPath, report: ReportProblem): DnsName | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  const refuse = (why: string): undefined => void report(path, why);
  if (isIP(given) !== 0) return refuse(`${quote(given)} is an IP address; DNS01 proves domain names only.`);
  if (given.includes('://')) return refuse(`${quote(given)} is a URL; write the domain name alone.`);
  if (given.includes('@')) return refuse(`${quote(given)} is an e-mail address; write a domain name.`);
  try {
    const name = toDnsName(given);
    const base = name.startsWith('*.') ? toDnsName(name.slice(2)) : name;
    if (base === '' || name === '*') return refuse(`${quote(given)} names no domain.`);
    if (labelsOf(base).some((label) => label.includes('_')))
      return refuse(`${quote(given)} has a "_", which no name of a certificate may have.`);
    if (base !== name && labelsOf(base).length < 2)
      return refuse(`${quote(given)} would cover a whole top-level domain; no CA issues that.`);
    if (labelsOf(base).length < 2)
      report(path, `${quote(given)} has one label only; a public CA does not issue for it.`, 'warning');
    // Node 24 and later leave such a label as it is, earlier ones return nothing.
    if (base.includes('xn--') && /^$|(^|\.)xn--/.test(domainToUnicode(base)))
      return refuse(`${quote(given)} has a label with "xn--" that stands for no Unicode name; no CA issues for it.`);
    child('_acme-challenge', base);
    return name;
  } catch (error) {
    if (!(error instanceof DnsNameError)) throw error;
    return refuse(
      error.input === given
        ? `${error.message}.`
        : `${quote(given)} is too long: _acme-challenge has to fit in front of it.`,
    );
  }
}

function checkMapping(
  given: unknown,
  dnsNames: readonly DnsName[] | undefined,
  report: ReportProblem,
): CertificateSpec['dns01'] {
  if (!Array.isArray(given)) return undefined;
  const owner = new Map<string, number>();
  return given.map((entry: unknown, i) => {
    const { provider, domains } = isRecord(entry) ? entry : {};
    const names = (Array.isArray(domains) ? (domains as unknown[]) : []).map((domain, j) => {
      const path = ['spec', 'dns01', i, 'domains', j];
      const name = checkName(domain, path, report);
      if (name === undefined) return String(domain);
      if (dnsNames !== undefined && !dnsNames.includes(name))
        report(path, `${name} is not among the certificate's dnsNames${suggest(name, dnsNames)}`);
      // Apex and wildcard are proven at the same name, so by the same provider.
      const base = name.startsWith('*.') ? name.slice(2) : name;
      const earlier = owner.get(base);
      if (earlier !== undefined && earlier !== i)
        report(
          path,
          `${base} is given to another provider by dns01[${earlier}]; ${base} and *.${base} share one TXT record.`,
        );
      owner.set(base, earlier ?? i);
      return name;
    });
    return { provider: String(provider), domains: names };
  });
}

function checkPrivateKey(given: unknown, report: ReportProblem): void {
  if (!isRecord(given) || typeof given.size !== 'number') return;
  const algorithm = given.algorithm === 'RSA' ? 'RSA' : 'ECDSA';
  if (!(sizes[algorithm] as readonly number[]).includes(given.size))
    report(
      ['spec', 'privateKey', 'size'],
      `${given.size} bits are not offered for ${algorithm}; use one of ${sizes[algorithm].join(', ')}.`,
    );
}

function checkRenewBefore(given: unknown, report: ReportProblem): void {
  if (typeof given !== 'string') return;
  try {
    parseRenewBefore(given);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(['spec', 'renewBefore'], error.message);
  }
}

/** Keys as Kubernetes has them: an optional domain with "/", then at most 63 of letters, digits, "-", "_" and ".". */
function checkSecretTemplate(given: unknown, report: ReportProblem): void {
  for (const field of ['labels', 'annotations']) {
    const texts = isRecord(given) && isRecord(given[field]) ? given[field] : {};
    for (const key of Object.keys(texts)) {
      const path = ['spec', 'secretTemplate', field, key];
      if (isReservedKey(key)) report(path, `${quote(key)} is one of those that zoneproof itself sets; choose another.`);
      else if (!/^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key))
        report(
          path,
          `${quote(key)} is no key of ${field}: an optional domain with "/", then at most 63 letters, digits, "-", "_" and ".".`,
        );
    }
  }
}
