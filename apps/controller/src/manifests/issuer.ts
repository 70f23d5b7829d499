import { X509Certificate } from 'node:crypto';
import {
  type ProviderPlugin,
  type ProviderRegistry,
  type ReadSecret,
  RegistryError,
  type SecretRef,
  SecretValue,
} from '@zoneproof/core';
import { type DnsName, DnsNameError, toDnsName } from '@zoneproof/dns';
import {
  type IssuerSpec,
  issuerSpecSchema,
  type ProviderSpec,
  providerSchema,
  secretNamespace,
} from '../resources/index.ts';
import { isRecord, type ManifestHeader, quote, suggest } from './header.ts';
import type { FieldPath, ReportProblem } from './problem.ts';
import { reportConfigProblems, reportSchemaProblems } from './schema.ts';
import type { SecretLookup } from './secrets.ts';

/** A provider whose block is valid, with what it can say offline. */
export interface CheckedProvider {
  readonly spec: ProviderSpec;
  /** False: it certainly cannot serve the domain. Undefined: only its service can tell. */
  serves(domain: DnsName): boolean | undefined;
}

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
  const shaped = reportSchemaProblems(issuerSpecSchema, withoutBlocks(spec), ['spec'], report);
  const acme = isRecord(spec) && isRecord(spec.acme) ? spec.acme : {};
  const namespace = secretNamespace(header);
  checkEmail(acme.email, report);
  checkServer(acme.server, report);
  checkCaBundle(acme.caBundle, report);
  await checkAccountKey(acme.privateKeySecretRef, namespace, secrets, report);
  checkBinding(acme.externalAccountBinding, namespace, secrets, report);
  const elements =
    isRecord(acme.dns01) && Array.isArray(acme.dns01.providers) ? (acme.dns01.providers as unknown[]) : [];
  checkProviderNames(elements, report);
  const providers: (CheckedProvider | undefined)[] = [];
  for (const [i, element] of elements.entries())
    providers.push(
      await checkProvider(element, [...acmePath, 'dns01', 'providers', i], namespace, registry, secrets, report),
    );
  if (!shaped) return undefined;
  return {
    spec: spec as unknown as IssuerSpec,
    providers: providers.every((provider) => provider !== undefined) ? providers : undefined,
  };
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
    report(path, `${value.missing} The account key goes there.`);
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

function checkBinding(binding: unknown, namespace: string, secrets: SecretLookup, report: ReportProblem): void {
  if (!isRecord(binding) || !isSecretRef(binding.keySecretRef)) return;
  const path = [...acmePath, 'externalAccountBinding', 'keySecretRef'];
  const value = secrets.read(namespace, binding.keySecretRef);
  if (!(value instanceof SecretValue)) report(path, value.missing);
  else if (!/^[A-Za-z0-9_-]+={0,2}$/.test(value.text().trim()))
    report(path, 'the entry does not hold base64url text; copy the HMAC key as the CA shows it.');
}

function checkProviderNames(elements: readonly unknown[], report: ReportProblem): void {
  const first = new Map<string, number>();
  for (const [i, element] of elements.entries()) {
    if (!isRecord(element) || typeof element.name !== 'string') continue;
    const earlier = first.get(element.name);
    if (earlier === undefined) first.set(element.name, i);
    else
      report(
        [...acmePath, 'dns01', 'providers', i, 'name'],
        `${quote(element.name)} is also the name of providers[${earlier}]; give each its own.`,
      );
  }
}

async function checkProvider(
  element: unknown,
  path: FieldPath,
  namespace: string,
  registry: ProviderRegistry,
  secrets: SecretLookup,
  report: ReportProblem,
): Promise<CheckedProvider | undefined> {
  if (!isRecord(element)) return undefined;
  const selectorOk = checkSelector(element.selector, [...path, 'selector'], report);
  const installed = registry.list().map(({ key }) => key);
  const others = Object.keys(element).filter((key) => !Object.hasOwn(providerSchema.properties, key));
  const blocks = others.filter((key) => installed.includes(key) || isRecord(element[key]));
  for (const key of others)
    if (!blocks.includes(key))
      report([...path, key], `unknown field${suggest(key, [...installed, ...Object.keys(providerSchema.properties)])}`);
  const [key] = blocks;
  if (key === undefined) {
    report(
      path,
      `it has no provider block; add one of ${installed.join(', ') || '(no provider package is installed)'}.`,
    );
    return undefined;
  }
  if (blocks.length > 1)
    report(
      path,
      `it has ${blocks.length} blocks (${blocks.join(', ')}); a provider has exactly one: make an element of its own for each.`,
    );
  const plugins: (ProviderPlugin | undefined)[] = [];
  for (const block of blocks) plugins.push(await checkBlock(block, element[block], [...path, block], registry, report));
  const [plugin] = plugins;
  if (blocks.length > 1 || plugin === undefined || !selectorOk) return undefined;

  const config = element[key] as Record<string, unknown>;
  const read: ReadSecret = (ref) => {
    const value = secrets.read(namespace, ref);
    return value instanceof SecretValue ? value : undefined;
  };
  let complete = true;
  for (const { ref, at } of secretRefsOf(config, [...path, key])) {
    const value = secrets.read(namespace, ref);
    if (value instanceof SecretValue) continue;
    report(at, value.missing);
    complete = false;
  }
  if (!reportConfigProblems(plugin.secretProblems?.(config, read) ?? [], [...path, key], report) || !complete)
    return undefined;
  const { serves } = plugin;
  return { spec: element as unknown as ProviderSpec, serves: (domain) => serves?.call(plugin, config, read, domain) };
}

/** The plugin, when the block satisfies it. */
async function checkBlock(
  key: string,
  config: unknown,
  path: FieldPath,
  registry: ProviderRegistry,
  report: ReportProblem,
): Promise<ProviderPlugin | undefined> {
  try {
    const ok = reportConfigProblems(await registry.validate(key, config), path, report);
    return ok ? await registry.load(key) : undefined;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    report(path, error.message);
    return undefined;
  }
}

function checkSelector(selector: unknown, path: FieldPath, report: ReportProblem): boolean {
  if (!isRecord(selector)) return selector === undefined;
  let ok = true;
  for (const list of ['dnsZones', 'dnsNames'] as const)
    for (const [i, name] of (Array.isArray(selector[list]) ? (selector[list] as unknown[]) : []).entries()) {
      if (typeof name !== 'string') continue;
      try {
        toDnsName(name);
      } catch (error) {
        if (!(error instanceof DnsNameError)) throw error;
        report([...path, list, i], `${error.message}.`);
        ok = false;
      }
    }
  return ok;
}

/** Every `...SecretRef` of a block, at any depth. */
function secretRefsOf(config: unknown, path: FieldPath): { readonly ref: SecretRef; readonly at: FieldPath }[] {
  if (!isRecord(config)) return [];
  return Object.entries(config).flatMap(([field, value]) => {
    const at = [...path, field];
    if (field.endsWith('SecretRef') && isSecretRef(value)) return [{ ref: value, at }];
    return secretRefsOf(value, at);
  });
}

function isSecretRef(value: unknown): value is SecretRef {
  return isRecord(value) && typeof value.name === 'string' && typeof value.key === 'string';
}
