import { apiVersion } from '../resources/index.ts';
import { http01, type Solver } from './choose-solver.ts';
import type { Finding, Told } from './finding.ts';
import { acmeScope, foreignSolvers, otherKeyEntry, otherWays, solverScope } from './issuer-rules.ts';
import { metadataOf, titleOf } from './metadata.ts';
import type { ForeignObject } from './objects.ts';
import { type ProviderMapping, providerMappings } from './provider-rules.ts';
import { type Around, applyRules, type Fields, isFields, type Tell, textList } from './rules.ts';

export interface ConvertedIssuer {
  readonly from: ForeignObject;
  /** Undefined: it is not taken over; a finding says why. */
  readonly manifest: Fields | undefined;
  /** Its solvers in order, those without a provider of ours included. */
  readonly solvers: readonly Solver[];
  /** The entry that holds the account key, where that is not `tls.key`. */
  readonly keyEntry: string | undefined;
}

/** Our Issuer for one of cert-manager. */
export function convertIssuer(
  from: ForeignObject,
  secretText: Around['secretText'],
  findings: Finding[],
): ConvertedIssuer {
  const tell: Tell = (path, told) => void findings.push(findingOf(from, path, told));
  const { acme, ...others } = from.spec;
  const nothing = { from, manifest: undefined, solvers: [], keyEntry: undefined };
  if (!isFields(acme)) {
    const type = Object.keys(others)[0] ?? 'without a type';
    tell(['spec', ...Object.keys(others).slice(0, 1)], {
      level: 'refused',
      why: `It is an issuer of another sort (${type}); zoneproof gets certificates by ACME alone.`,
      todo: 'Keep it and its Certificates with cert-manager.',
    });
    return nothing;
  }
  const spec = applyRules(acmeScope.rules, acme, ['spec', 'acme'], tell, secretText);
  const solvers = (Array.isArray(acme.solvers) ? (acme.solvers as unknown[]) : []).map((solver) =>
    isFields(solver) ? solver : {},
  );
  const converted = withNames(solvers.map((solver, i) => convertSolver(solver, i, secretText, tell)));
  const providers = converted.flatMap(({ provider }) => (provider === undefined ? [] : [provider]));
  const choices = converted.map(({ choice, provider }) => ({
    ...choice,
    provider: provider?.name as string | undefined,
  }));
  if (providers.length === 0) {
    tell(['spec', 'acme', 'solvers'], {
      level: 'refused',
      why: 'None of its solvers is a DNS01 solver that zoneproof has a provider for.',
      todo: 'Give it one, or keep it and its Certificates with cert-manager.',
    });
    return { ...nothing, solvers: choices };
  }
  tellAmbient(from, providers, tell);
  return {
    from,
    manifest: {
      apiVersion,
      kind: from.kind,
      metadata: metadataOf(from),
      spec: { acme: { ...spec, dns01: { providers } } },
    },
    solvers: choices,
    keyEntry: otherKeyEntry({ fields: acme }),
  };
}

export function findingOf(from: ForeignObject, path: Parameters<Tell>[0], { level, why, todo }: Told): Finding {
  const field = path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
  return {
    level: level === 'note' ? 'note' : 'left-out',
    object: titleOf(from),
    ...(field !== '' && { field }),
    ...from.place(path),
    why,
    todo,
  };
}

interface ConvertedSolver {
  readonly choice: Omit<Solver, 'provider'>;
  /** Block and selector, without a name yet. */
  readonly provider: Fields | undefined;
  readonly block: string;
}

function convertSolver(solver: Fields, i: number, secretText: Around['secretText'], tell: Tell): ConvertedSolver {
  const path = ['spec', 'acme', 'solvers', i];
  const selector = isFields(solver.selector) ? solver.selector : {};
  const dns01 = isFields(solver.dns01) ? solver.dns01 : undefined;
  const mapping = providerMappings.find((known) => isFields(dns01?.[known.solver]));
  const choice = {
    matchLabels: (isFields(selector.matchLabels) ? selector.matchLabels : {}) as Readonly<Record<string, string>>,
    dnsNames: textList(selector.dnsNames),
    dnsZones: textList(selector.dnsZones),
    title: dns01 === undefined ? http01 : (mapping?.solver ?? titleOfForeign(dns01)),
  };
  if (dns01 === undefined) {
    tell([...path, ...('http01' in solver ? ['http01'] : [])], {
      level: 'refused',
      why: 'zoneproof proves names by DNS01 only, not by HTTP01.',
      todo: 'Add a provider that can write into the zone of its names, or lead _acme-challenge there by CNAME.',
    });
    return { choice, provider: undefined, block: '' };
  }
  if (mapping === undefined) {
    const key = Object.keys(dns01).find((field) => field !== 'cnameStrategy');
    tell([...path, 'dns01', ...(key === undefined ? [] : [key])], {
      level: 'refused',
      why: foreignSolvers[key ?? ''] ?? `zoneproof has no provider for ${choice.title}.`,
      todo: otherWays,
    });
    return { choice, provider: undefined, block: '' };
  }
  const shared = applyRules(solverScope.rules, withoutBlock(solver, dns01, mapping), path, tell, secretText);
  let refused = false;
  const block = applyRules(
    mapping.rules,
    dns01[mapping.solver] as Fields,
    [...path, 'dns01', mapping.solver],
    (at, told) => {
      refused ||= told.level === 'refused';
      tell(at, told);
    },
    secretText,
  );
  return { choice, provider: refused ? undefined : { ...shared, [mapping.block]: block }, block: mapping.block };
}

function withoutBlock(solver: Fields, dns01: Fields, { solver: key }: ProviderMapping): Fields {
  const { [key]: _block, ...rest } = dns01;
  return { ...solver, dns01: rest };
}

/** The vendor of a webhook is in its group or its solver's name. */
function titleOfForeign(dns01: Fields): string {
  const { webhook } = dns01;
  if (isFields(webhook)) return `the webhook ${String(webhook.groupName)}/${String(webhook.solverName)}`;
  return Object.keys(dns01).find((field) => field !== 'cnameStrategy') ?? 'a solver without a provider';
}

/** `routedns`, and `routedns-2` for the second of the same block. */
function withNames(solvers: readonly ConvertedSolver[]): readonly ConvertedSolver[] {
  const counts = new Map<string, number>();
  return solvers.map((solver) => {
    if (solver.provider === undefined) return solver;
    const count = (counts.get(solver.block) ?? 0) + 1;
    counts.set(solver.block, count);
    return {
      ...solver,
      provider: { name: count === 1 ? solver.block : `${solver.block}-${count}`, ...solver.provider },
    };
  });
}

/** In a cluster, whoever may write an Issuer must not get the controller's own rights with it. */
function tellAmbient({ kind }: ForeignObject, providers: readonly Fields[], tell: Tell): void {
  const isAmbient = providers.some(({ routedns, clouddns }) => {
    if (isFields(routedns)) return routedns.accessKeyID === undefined;
    return isFields(clouddns) && clouddns.serviceAccountSecretRef === undefined;
  });
  if (kind === 'Issuer' && isAmbient)
    tell(['spec', 'acme', 'solvers'], {
      level: 'note',
      why: "A solver without credentials uses the controller's own, which a namespaced Issuer may not in Kubernetes.",
      todo: 'Start zoneproof controller with --issuer-ambient-credentials, as cert-manager had to be.',
    });
}
