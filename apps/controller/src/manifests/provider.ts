import {
  type ProviderPlugin,
  type ProviderRegistry,
  type ReadSecret,
  RegistryError,
  type SecretRef,
  SecretValue,
} from '@zoneproof/core';
import { type DnsName, DnsNameError, toDnsName } from '@zoneproof/dns';
import { type ProviderSpec, providerSchema } from '../resources/index.ts';
import { isRecord, quote, suggest } from './header.ts';
import type { FieldPath, ReportProblem } from './problem.ts';
import { reportConfigProblems } from './schema.ts';
import type { SecretLookup } from './secrets.ts';

/** A provider whose block is valid, with what it can say offline. */
export interface CheckedProvider {
  readonly spec: ProviderSpec;
  /** False: it certainly cannot serve the domain. Undefined: only its service can tell. */
  serves(domain: DnsName): boolean | undefined;
}

/** What the elements of one Issuer are checked against. */
export interface ProviderSurroundings {
  /** Where their Secrets are. */
  readonly namespace: string;
  readonly registry: ProviderRegistry;
  readonly secrets: SecretLookup;
  readonly report: ReportProblem;
}

/** Checks `providers`; undefined when one is invalid, so that nobody draws conclusions from the others. */
export async function checkProviders(
  elements: readonly unknown[],
  path: FieldPath,
  around: ProviderSurroundings,
): Promise<readonly CheckedProvider[] | undefined> {
  checkProviderNames(elements, path, around.report);
  const providers: (CheckedProvider | undefined)[] = [];
  for (const [i, element] of elements.entries()) providers.push(await checkProvider(element, [...path, i], around));
  return providers.every((provider) => provider !== undefined) ? providers : undefined;
}

function checkProviderNames(elements: readonly unknown[], path: FieldPath, report: ReportProblem): void {
  const first = new Map<string, number>();
  for (const [i, element] of elements.entries()) {
    if (!isRecord(element) || typeof element.name !== 'string') continue;
    const earlier = first.get(element.name);
    if (earlier === undefined) first.set(element.name, i);
    else
      report(
        [...path, i, 'name'],
        `${quote(element.name)} is also the name of providers[${earlier}]; give each its own.`,
      );
  }
}

async function checkProvider(
  element: unknown,
  path: FieldPath,
  { namespace, registry, secrets, report }: ProviderSurroundings,
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
    if (value.missing !== undefined) report(at, value.missing);
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

/** False when one of its names is none. */
export function checkSelector(selector: unknown, path: FieldPath, report: ReportProblem): boolean {
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
export function secretRefsOf(config: unknown, path: FieldPath): { readonly ref: SecretRef; readonly at: FieldPath }[] {
  if (!isRecord(config)) return [];
  return Object.entries(config).flatMap(([field, value]) => {
    const at = [...path, field];
    if (field.endsWith('SecretRef') && isSecretRef(value)) return [{ ref: value, at }];
    return secretRefsOf(value, at);
  });
}

export function isSecretRef(value: unknown): value is SecretRef {
  return isRecord(value) && typeof value.name === 'string' && typeof value.key === 'string';
}
