import { X509Certificate } from 'node:crypto';
import { NameserverListError, type ProviderRegistry, parseNameserverList, SecretValue } from '@zoneproof/core';
import { DnsNameError, toDnsName } from '@zoneproof/dns';
import {
  clusterIssuerSpecSchema,
  type IssuerSpec,
  issuerSpecSchema,
  providerSchema,
  secretNamespace,
} from '../resources/index.ts';
import { isRecord, type ManifestHeader, quote } from './header.ts';
import type { ReportProblem } from './problem.ts';
import { type CheckedProvider, checkProviders, isSecretRef } from './provider.ts';
import { reportSchemaProblems } from './schema.ts';
import type { SecretLookup } from './secrets.ts';

export interface CheckedIssuer {
  readonly spec: IssuerSpec;
  /** Undefined when a provider is invalid, so that nobody draws conclusions from the others. */
  readonly providers: readonly CheckedProvider[] | undefined;
}

const acmePath = ['spec', 'acme'];

/** Checks the spec of an Issuer or ClusterIssuer with everything it refers to; undefined when it is of the wrong shape. */
export async function readIssuer(
  header: ManifestHeader,
  registry: ProviderRegistry,
  secrets: SecretLookup,
  report: ReportProblem,
): Promise<CheckedIssuer | undefined> {
  const { spec } = header.fields;
  if (spec === undefined) {
    report(['spec'], 'missing.');
    return undefined;
  }
  const schema = header.kind === 'ClusterIssuer' ? clusterIssuerSpecSchema : issuerSpecSchema;
  const shaped = reportSchemaProblems(schema, withoutBlocks(spec), ['spec'], report);
  const acme = isRecord(spec) && isRecord(spec.acme) ? spec.acme : {};
  const namespace = secretNamespace(header);
  checkIssuer(spec, report);
  await checkAccountKey(acme.privateKeySecretRef, namespace, secrets, report);
  checkBinding(acme.externalAccountBinding, namespace, secrets, report);
  const elements =
    isRecord(acme.dns01) && Array.isArray(acme.dns01.providers) ? (acme.dns01.providers as unknown[]) : [];
  const providers = await checkProviders(elements, [...acmePath, 'dns01', 'providers'], {
    namespace,
    registry,
    secrets,
    report,
  });
  if (!shaped) return undefined;
  return {
    spec: spec as unknown as IssuerSpec,
    providers,
  };
}

/** What the schemas cannot say of the spec of an Issuer by itself, but for its blocks. */
export function checkIssuer(spec: unknown, report: ReportProblem): void {
  const acme = isRecord(spec) && isRecord(spec.acme) ? spec.acme : {};
  checkEmail(acme.email, report);
  checkServer(acme.server, report);
  checkCaBundle(acme.caBundle, report);
  checkAllowances(spec, report);
  checkSelfCheck(isRecord(acme.dns01) ? acme.dns01.selfCheck : undefined, report);
}

/** The spec with providers reduced to what all of them share; blocks have schemas of their own. */
function withoutBlocks(spec: unknown): unknown {
  if (
    !isRecord(spec) ||
    !isRecord(spec.acme) ||
    !isRecord(spec.acme.dns01) ||
    !Array.isArray(spec.acme.dns01.providers)
  )
    return spec;
  const providers = (spec.acme.dns01.providers as unknown[]).map((element) => {
    if (!isRecord(element)) return element;
    return Object.fromEntries(Object.entries(element).filter(([key]) => Object.hasOwn(providerSchema.properties, key)));
  });
  return { ...spec, acme: { ...spec.acme, dns01: { ...spec.acme.dns01, providers } } };
}

function checkEmail(email: unknown, report: ReportProblem): void {
  if (typeof email !== 'string') return;
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(email))
    report(
      [...acmePath, 'email'],
      `${quote(email)} is not an e-mail address; write one address like ops@example.com, without "mailto:".`,
    );
}

function checkServer(server: unknown, report: ReportProblem): void {
  if (typeof server !== 'string') return;
  const path = [...acmePath, 'server'];
  if (!URL.canParse(server)) {
    report(
      path,
      `${quote(server)} is not a URL; write the directory's, like https://acme-v02.api.letsencrypt.org/directory.`,
    );
    return;
  }
  const url = new URL(server);
  if (url.protocol !== 'https:')
    report(path, `${quote(server)} is not https; ACME is spoken over HTTPS only (RFC 8555 6.1).`);
  if (url.username !== '' || url.password !== '')
    report(path, 'the URL holds a user name or password; ACME knows neither: remove them.');
}

function checkCaBundle(bundle: unknown, report: ReportProblem): void {
  if (typeof bundle !== 'string') return;
  const path = [...acmePath, 'caBundle'];
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) report(path, 'it holds no PEM certificate ("-----BEGIN CERTIFICATE-----").');
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bundle))
    report(path, 'it holds a private key, which does not belong in a manifest.');
  for (const [i, block] of blocks.entries())
    try {
      new X509Certificate(block);
    } catch {
      report(path, `certificate ${i + 1} of ${blocks.length} cannot be read; was it cut or re-indented?`);
    }
}

/** A missing Secret is fine (the key is made); one that is there has to hold a usable key, since it is never overwritten. */
async function checkAccountKey(
  ref: unknown,
  namespace: string,
  secrets: SecretLookup,
  report: ReportProblem,
): Promise<void> {
  if (!isRecord(ref) || typeof ref.name !== 'string') return;
  if (secrets.find(namespace, ref.name) === undefined) return;
  const path = [...acmePath, 'privateKeySecretRef', 'name'];
  const value = secrets.read(namespace, { name: ref.name, key: 'tls.key' });
  if (!(value instanceof SecretValue)) {
    report(path, `${value.missing ?? ''} The account key goes there.`);
    return;
  }
  const { readAccountKey } = await import('@zoneproof/acme');
  try {
    await readAccountKey(value.text());
  } catch (error) {
    report(
      path,
      `entry "tls.key" of Secret ${quote(ref.name)} is not a usable account key: ${(error as Error).message}`,
    );
  }
}

function checkAllowances(spec: unknown, report: ReportProblem): void {
  const list = (field: string): [number, string][] =>
    (isRecord(spec) && Array.isArray(spec[field]) ? (spec[field] as unknown[]) : [])
      .map((entry, i): [number, unknown] => [i, entry])
      .filter((entry): entry is [number, string] => typeof entry[1] === 'string' && entry[1] !== '');
  for (const [i, namespace] of list('allowedNamespaces'))
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace))
      report(
        ['spec', 'allowedNamespaces', i],
        `${quote(namespace)} is not the name of a namespace; each one is listed by its whole name.`,
      );
  for (const [i, domain] of list('allowedDomains')) {
    const path = ['spec', 'allowedDomains', i];
    if (domain.startsWith('*.'))
      report(path, `write ${quote(domain.slice(2))}: it allows everything below it, wildcards included.`);
    else
      try {
        toDnsName(domain);
      } catch (error) {
        if (!(error instanceof DnsNameError)) throw error;
        report(path, `${error.message}.`);
      }
  }
}

function checkSelfCheck(selfCheck: unknown, report: ReportProblem): void {
  if (!isRecord(selfCheck)) return;
  for (const field of ['nameservers', 'finalResolvers'])
    for (const [i, entry] of (Array.isArray(selfCheck[field]) ? (selfCheck[field] as unknown[]) : []).entries()) {
      if (typeof entry !== 'string') continue;
      const path = [...acmePath, 'dns01', 'selfCheck', field, i];
      try {
        if (parseNameserverList(entry).length > 1) report(path, 'one server for each element: divide the list.');
      } catch (error) {
        if (!(error instanceof NameserverListError)) throw error;
        report(path, error.problems.map((problem) => (problem.endsWith('.') ? problem : `${problem}.`)).join(' '));
      }
    }
}

function checkBinding(binding: unknown, namespace: string, secrets: SecretLookup, report: ReportProblem): void {
  if (!isRecord(binding) || !isSecretRef(binding.keySecretRef)) return;
  const path = [...acmePath, 'externalAccountBinding', 'keySecretRef'];
  const value = secrets.read(namespace, binding.keySecretRef);
  if (!(value instanceof SecretValue)) {
    if (value.missing !== undefined) report(path, value.missing);
  } else if (!/^[A-Za-z0-9_-]+={0,2}$/.test(value.text().trim()))
    report(path, 'the entry does not hold base64url text; copy the HMAC key as the CA shows it.');
}
