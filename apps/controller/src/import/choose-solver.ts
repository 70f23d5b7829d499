/** A solver of cert-manager, as far as choosing it goes. */
export interface Solver {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly dnsNames: readonly string[];
  readonly dnsZones: readonly string[];
  /** Our provider for it; undefined: there is none. */
  readonly provider: string | undefined;
  /** `HTTP01`, `webhook acme.example.com/dns`: how people call it. */
  readonly title: string;
}

/**
 * The solver that cert-manager takes for a name of a Certificate with these labels: all of a selector has to match;
 * then named ones come before others, then the zone with the most labels, then the most matching labels, then the first.
 * https://cert-manager.io/docs/configuration/acme/#adding-multiple-solver-types
 */
export function chooseSolver(
  solvers: readonly Solver[],
  certificateLabels: Readonly<Record<string, string>>,
  name: string,
): Solver | undefined {
  let best: { readonly solver: Solver; readonly rank: Rank } | undefined;
  for (const solver of solvers) {
    // No CA offers HTTP01 for a wildcard.
    if (name.startsWith('*.') && solver.title === http01) continue;
    const rank = rankOf(solver, certificateLabels, name);
    if (rank !== undefined && (best === undefined || isAbove(rank, best.rank))) best = { solver, rank };
  }
  return best?.solver;
}

export const http01 = 'HTTP01';

type Rank = readonly [named: number, zoneLabels: number, labels: number];

function rankOf(
  { matchLabels, dnsNames, dnsZones }: Solver,
  labels: Readonly<Record<string, string>>,
  name: string,
): Rank | undefined {
  const wanted = Object.entries(matchLabels);
  if (!wanted.every(([key, value]) => labels[key] === value)) return undefined;
  if (dnsNames.length > 0 && !dnsNames.includes(name)) return undefined;
  const zones = dnsZones.map(labelCount).filter((_count, i) => isBelow(name, dnsZones[i] as string));
  if (dnsZones.length > 0 && zones.length === 0) return undefined;
  return [dnsNames.length > 0 ? 1 : 0, Math.max(0, ...zones), wanted.length];
}

function isAbove(a: Rank, b: Rank): boolean {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}

function labelCount(zone: string): number {
  return zone.split('.').filter(Boolean).length;
}

function isBelow(name: string, zone: string): boolean {
  const [child, parent] = [name, zone].map((text) => text.toLowerCase().replace(/\.$/, ''));
  return child === parent || (child as string).endsWith(`.${parent}`);
}
