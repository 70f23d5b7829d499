import {
  createProviderCalls,
  type Egress,
  type PreflightCa,
  ProviderError,
  systemRandom,
  systemTimers,
} from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import { effectRunner } from '../effects/effects.ts';
import { loadManifests, showProblem } from '../manifests/index.ts';
import { baseName, candidateProviders } from '../reconcile/choose-provider.ts';
import { Problem } from '../reconcile/problem.ts';
import { chooseRoute } from '../reconcile/route.ts';
import type { IssuerProvider } from '../reconcile/services.ts';
import type { CertificateSpec, Issuer } from '../resources/types.ts';
import { IssuerSessions } from '../runtime/sessions.ts';
import { everythingAllowed } from '../tenancy/index.ts';
import type { CheckOptions, CheckTarget } from './check.ts';
import { createCa } from './check-ca.ts';
import { watchClocks } from './check-clock.ts';
import { createPlannedObjects, type PlannedObjects } from './check-objects.ts';
import { openProbeSession } from './check-write.ts';
import type { CommandContext } from './context.ts';
import { packageVersion } from './program.ts';
import { openRegistry } from './registry.ts';
import { count } from './validate.ts';

/** What the manifests declare, ready to be checked. `invalid`: they cannot be, and the problems have been told. */
export type ManifestTargets =
  | { readonly targets: readonly CheckTarget[]; close(): Promise<void> }
  | { readonly invalid: true };

/** Reads manifests, what the state directory knows of their accounts, and binds their providers. Writes nothing. */
export async function openManifestTargets(
  paths: readonly string[],
  options: CheckOptions,
  egress: Egress,
  context: CommandContext,
): Promise<ManifestTargets> {
  const registry = await openRegistry(context, options.pluginDir);
  const { objects, problems } = await loadManifests(paths, {
    registry,
    ...(options.secrets !== undefined && { secretsDir: options.secrets }),
  });
  for (const problem of problems) context.err.write(`${showProblem(problem)}\n`);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    context.err.write(`zoneproof: ${count(errors, 'error')} in the manifests; nothing was sent anywhere.\n`);
    return { invalid: true };
  }
  const { clock } = context;
  const planned = await createPlannedObjects(objects, options.state, options.secrets);
  const clocks = watchClocks(egress, clock);
  const calls = createProviderCalls(clock, systemTimers);
  const run = effectRunner(context.inputs.hook);
  const sessions = new IssuerSessions({
    store: planned,
    registry,
    tenancy: everythingAllowed(clocks.egress),
    clock,
    random: systemRandom,
    timers: systemTimers,
    calls,
    run,
    changes: () => 0,
    userAgent: `zoneproof/${packageVersion()}`,
    clusterResourceNamespace: 'default',
    warn: (_issuer, message) => void context.err.write(`zoneproof: ${message}\n`),
  });

  const probing = options.write
    ? await openProbeSession({
        stateDir: options.state,
        issuer: planned.issuers[0]?.metadata.name ?? '',
        sessions,
        calls,
        clock,
        run,
      })
    : undefined;
  for (const { name, value } of probing?.left ?? [])
    context.err.write(
      `zoneproof: an earlier check left ${name} TXT "${value}", which could not be removed now either.\n`,
    );

  /** For a Certificate the providers that may serve one of its names; for an Issuer all. */
  async function targetOf(issuer: Issuer, certificate?: CertificateSpec): Promise<CheckTarget['target']> {
    const { all, ca } = await partsOf(issuer);
    const names = certificate?.dnsNames ?? [];
    const mapping = certificate?.dns01;
    const used = names.flatMap((name) => candidateProviders(all, mapping, baseName(name)));
    const providers = all.filter((one) => certificate === undefined || used.includes(one)).map(({ bound }) => bound);
    const route = async (domain: DnsName, location: Parameters<typeof chooseRoute>[1], signal: AbortSignal) => {
      try {
        return await chooseRoute(domain, location, mapping, issuer, { sessions, clock }, signal);
      } catch (error) {
        // What the service may get over by itself is no finding about the manifests.
        if (error instanceof Problem && error.cure === 'retry')
          throw new ProviderError({ kind: 'unavailable', message: error.message, cause: error });
        throw error;
      }
    };
    // A service with slots is one that names are delegated to.
    const isDelegated = (domain: DnsName) => {
      const candidates = candidateProviders(all, mapping, domain);
      return candidates.length > 0 && candidates.every(({ bound }) => bound.capabilities.model === 'slots');
    };
    return { names, ca, providers, route, isDelegated, ...(probing !== undefined && { probe: probing.probe }) };
  }

  const parts = new Map<Issuer, Promise<{ readonly all: readonly IssuerProvider[]; readonly ca: PreflightCa }>>();
  function partsOf(issuer: Issuer) {
    const made =
      parts.get(issuer) ??
      sessions.providers(issuer).then((all) => ({
        all: all.filter((one) => 'bound' in one),
        ca: createCa(issuer, sessions, clocks),
      }));
    parts.set(issuer, made);
    return made;
  }

  const close = async (): Promise<void> => {
    await probing?.close();
    await sessions.close();
  };
  return { targets: await targetsOf(planned, targetOf), close };
}

/** A target for each Certificate and for each Issuer. */
async function targetsOf(
  planned: PlannedObjects,
  targetOf: (issuer: Issuer, certificate?: CertificateSpec) => Promise<CheckTarget['target']>,
): Promise<readonly CheckTarget[]> {
  const targets: CheckTarget[] = [];
  for (const { namespace, name, spec } of planned.certificates) {
    const { kind = 'Issuer', name: issuerName } = spec.issuerRef;
    const issuer = planned.get(kind, kind === 'ClusterIssuer' ? '' : namespace, issuerName);
    if (issuer === undefined) continue; // never: references were checked with the manifests
    const target = await targetOf(issuer, spec);
    targets.push({ kind: 'Certificate', name: `${namespace}/${name}`, target, ...viewOf(issuer) });
  }
  for (const issuer of planned.issuers) {
    const { namespace, name } = issuer.metadata;
    const title = issuer.kind === 'ClusterIssuer' ? name : `${namespace}/${name}`;
    targets.push({ kind: issuer.kind, name: title, target: await targetOf(issuer), ...viewOf(issuer) });
  }
  return targets;
}

function viewOf({ spec }: Issuer): Pick<CheckTarget, 'selfCheck'> {
  const { selfCheck } = spec.acme.dns01;
  return selfCheck === undefined ? {} : { selfCheck };
}
