import type { toDnsName } from '@zoneproof/dns';
import { baseName, candidateProviders } from '../reconcile/choose-provider.ts';
import { apiVersion, type CertificateSpec, defaultNamespace, type ProviderSpec } from '../resources/index.ts';
import { certificateScope } from './certificate-rules.ts';
import { chooseSolver, type Solver } from './choose-solver.ts';
import type { Finding } from './finding.ts';
import { type ConvertedIssuer, findingOf } from './issuer.ts';
import { metadataOf, titleOf } from './metadata.ts';
import type { ForeignObject } from './objects.ts';
import { applyRules, type Fields, isFields, type Tell, textList } from './rules.ts';

/** Our Certificate for one of cert-manager; undefined with findings when it is not taken over. */
export function convertCertificate(
  from: ForeignObject,
  issuers: readonly ConvertedIssuer[],
  findings: Finding[],
): Fields | undefined {
  let refused = false;
  const tell: Tell = (path, told) => {
    refused ||= told.level === 'refused';
    findings.push(findingOf(from, path, told));
  };
  const spec = applyRules(certificateScope.rules, from.spec, ['spec'], tell, () => undefined);
  if (refused) return undefined;
  const issuer = issuerOf(from, spec, issuers, tell);
  if (issuer === undefined) return undefined;
  const dns01 = mappingOf(from, spec, issuer, tell);
  if (refused) return undefined;
  tellOrigin(from, tell);
  return {
    apiVersion,
    kind: 'Certificate',
    metadata: metadataOf(from),
    spec: { ...spec, ...(dns01.length > 0 && { dns01 }) },
  };
}

function issuerOf(
  from: ForeignObject,
  spec: Fields,
  issuers: readonly ConvertedIssuer[],
  tell: Tell,
): ConvertedIssuer | undefined {
  const { name, kind = 'Issuer' } = isFields(spec.issuerRef) ? spec.issuerRef : {};
  const namespace = kind === 'ClusterIssuer' ? undefined : from.namespace;
  const issuer = issuers.find(
    ({ from: other }) => other.kind === kind && other.name === name && isSameNamespace(other.namespace, namespace),
  );
  const title = titleOf({ kind: kind as ForeignObject['kind'], namespace, name: String(name) });
  if (issuer === undefined)
    tell(['spec', 'issuerRef'], {
      level: 'refused',
      why: `${title} is not among what was read.`,
      todo: 'Give its manifest, too.',
    });
  else if (issuer.manifest === undefined)
    tell(['spec', 'issuerRef'], {
      level: 'refused',
      why: `${title} is not taken over.`,
      todo: 'What is said of the Issuer holds for this Certificate.',
    });
  return issuer?.manifest === undefined ? undefined : issuer;
}

/**
 * `dns01` for the names that would get another provider than cert-manager's solver: by labels, by the order of the list,
 * or where a selector asks for both a zone and a name.
 */
function mappingOf(
  from: ForeignObject,
  spec: Fields,
  { manifest, solvers, from: issuer }: ConvertedIssuer,
  tell: Tell,
): NonNullable<CertificateSpec['dns01']> {
  const providers = providersOf(manifest as Fields).map((provider) => ({ spec: provider }));
  const names = textList(spec.dnsNames);
  const chosen = new Map<string, string>();
  const mapping = new Map<string, string[]>();
  for (const [i, name] of names.entries()) {
    const solver = chooseSolver(solvers, from.labels, name);
    if (solver?.provider === undefined) {
      tell(['spec', 'dnsNames', i], noProvider(name, solver, titleOf(issuer)));
      continue;
    }
    const base = baseNameOf(name);
    if (base === undefined) continue;
    const provider = chosen.get(base) ?? solver.provider;
    chosen.set(base, provider);
    if (provider !== solver.provider)
      tell(['spec', 'dnsNames', i], {
        level: 'note',
        why: `${name} shares its TXT record with ${base}, so both go to provider ${provider} and not to ${solver.provider}.`,
        todo: 'Nothing to do when that one can write it.',
      });
    const candidates = candidateProviders(providers, undefined, base);
    const isClear = candidates.length === 1 && candidates[0]?.spec.name === provider;
    if (!isClear) mapping.set(provider, [...(mapping.get(provider) ?? []), name]);
  }
  return [...mapping].map(([provider, domains]) => ({ provider, domains }));
}

function noProvider(name: string, solver: Solver | undefined, issuer: string): Parameters<Tell>[1] {
  return {
    level: 'refused',
    why:
      solver === undefined
        ? `No solver of ${issuer} is for ${name}.`
        : `${name} is proven by ${solver.title}, which zoneproof has nothing for.`,
    todo: 'Give the Issuer a provider for it, and write the Certificate by hand.',
  };
}

/** A manifest that names none is applied in `default`, unless someone says otherwise. */
function isSameNamespace(a: string | undefined, b: string | undefined): boolean {
  return (a ?? defaultNamespace) === (b ?? defaultNamespace);
}

/** Undefined for a text that is no name: the manifest's own check tells. */
function baseNameOf(name: string): ReturnType<typeof toDnsName> | undefined {
  try {
    return baseName(name);
  } catch {
    return undefined;
  }
}

function providersOf(manifest: Fields): readonly ProviderSpec[] {
  const { acme } = manifest.spec as { acme: { dns01: { providers: readonly ProviderSpec[] } } };
  return acme.dns01.providers;
}

function tellOrigin(from: ForeignObject, tell: Tell): void {
  if (from.annotations['cert-manager.io/issue-temporary-certificate'] === 'true')
    tell(['metadata', 'annotations', 'cert-manager.io/issue-temporary-certificate'], {
      level: 'left-out',
      why: 'zoneproof stores no temporary certificate while it waits for the first one.',
      todo: 'Nothing to do for a Certificate that has one.',
    });
  if (from.owner !== undefined)
    tell(['metadata', 'ownerReferences'], {
      level: 'left-out',
      why: `cert-manager made it for ${from.owner}; zoneproof reads no annotations of Ingresses and Gateways.`,
      todo: 'From now on the Certificate is yours to keep: change its names by hand, and take the annotation away there.',
    });
}
