import type { BoundProvider, Location, RecordTarget, Zone } from '@zoneproof/core';
import { isProviderError } from '@zoneproof/core';
import { child, type DnsName } from '@zoneproof/dns';
import type { CertificateSpec, Issuer, Order } from '../resources/types.ts';
import { candidateProviders } from './choose-provider.ts';
import { Problem, toProblem } from './problem.ts';
import type { IssuerProvider, Services } from './services.ts';

/** Where the TXT value of one domain goes, and through which provider. */
export interface Route {
  readonly domain: DnsName;
  readonly location: Location;
  readonly provider: BoundProvider;
  readonly zone: Zone;
}

/**
 * Follows the challenge name of `domain` to where its value has to be and finds the provider that can write there.
 *
 * @throws Problem, ProviderError or LocateError
 */
export async function findRoute(
  domain: DnsName,
  order: Order,
  issuer: Issuer,
  services: Services,
  signal: AbortSignal,
): Promise<Route> {
  // Needs no DNS, and says more than "not located".
  const candidates = await findCandidates(domain, order.spec.dns01, issuer, services);
  // A service with slots is one that names are delegated to.
  const isDelegated = candidates.every((one) => 'bound' in one && one.bound.capabilities.model === 'slots');
  const challengeName = child('_acme-challenge', domain);
  const location = await services.selfCheckOf(issuer).locate(challengeName, signal, { isDelegated });
  return { domain, location, ...(await chooseRoute(domain, location, order.spec.dns01, issuer, services, signal)) };
}

/**
 * The provider, of those that may serve `domain`, which holds the zone that the challenge name leads to.
 *
 * @throws Problem, ProviderError
 */
export async function chooseRoute(
  domain: DnsName,
  location: Location,
  mapping: CertificateSpec['dns01'],
  issuer: Issuer,
  services: Pick<Services, 'sessions' | 'clock'>,
  signal: AbortSignal,
): Promise<Pick<Route, 'provider' | 'zone'>> {
  const candidates = await findCandidates(domain, mapping, issuer, services);
  const target: RecordTarget = { domain, challengeName: location.name, name: location.target, zone: location.zone };
  const found = await Promise.all(candidates.map((candidate) => zoneAt(candidate, target, services, signal)));
  const holders = found.filter((answer): answer is Holder => 'zone' in answer);
  const longest = Math.max(...holders.map(({ zone }) => zone.name.length));
  const [best, ...others] = holders.filter(({ zone }) => zone.name.length === longest);
  const failures = found.filter((answer): answer is Failure => 'error' in answer);
  if (best === undefined) throw mostTelling(failures, services);
  // A zone above the one that answers: the provider of the right one may only be out of reach now.
  if (best.zone.name !== location.zone && failures.some(isNoDenial)) throw mostTelling(failures, services);
  if (others.length > 0) {
    const names = [best, ...others].map(({ provider }) => provider.block.name).join(', ');
    throw new Problem(
      'ProviderNotChosen',
      `Providers ${names} all hold zone ${best.zone.name} for ${domain}. Name one in the certificate's dns01 list, or give them selectors.`,
      'change',
    );
  }
  return { provider: best.provider, zone: best.zone };
}

/** @throws Problem when there is none */
async function findCandidates(
  domain: DnsName,
  mapping: CertificateSpec['dns01'],
  issuer: Issuer,
  services: Pick<Services, 'sessions'>,
): Promise<readonly Candidate[]> {
  const candidates = candidateProviders(await services.sessions.providers(issuer), mapping, domain);
  if (candidates.length === 0)
    throw new Problem(
      'ProviderNotChosen',
      `No provider of ${issuer.kind} ${issuer.metadata.name} may serve ${domain}. Name one in the certificate's dns01 list, or widen a selector.`,
      'change',
    );
  return candidates;
}

interface Holder {
  readonly provider: BoundProvider;
  readonly zone: Zone;
}

interface Failure {
  readonly error: unknown;
}

type Candidate = IssuerProvider | { readonly problem: Error };

async function zoneAt(
  candidate: Candidate,
  target: RecordTarget,
  services: Pick<Services, 'sessions'>,
  signal: AbortSignal,
): Promise<Holder | Failure> {
  if ('problem' in candidate) return { error: candidate.problem };
  try {
    return { provider: candidate.bound, zone: await services.sessions.findZone(candidate.bound, target, signal) };
  } catch (error) {
    return { error };
  }
}

/** Anything but "no such zone here". */
function isNoDenial({ error }: Failure): boolean {
  return !(isProviderError(error) && error.kind === 'zone-not-found');
}

/** Among several refusals, "create this record" and "wrong key" help more than "no such zone here". */
function mostTelling(failures: readonly Failure[], services: Pick<Services, 'clock'>): Problem {
  const telling = failures.filter(isNoDenial);
  const problems = (telling.length > 0 ? telling : failures).map(({ error }) => toProblem(error, services.clock.now()));
  const [first, ...rest] = problems as [Problem, ...Problem[]];
  if (rest.length === 0) return first;
  return new Problem(first.reason, problems.map(({ message }) => message).join(' '), first.cure, first.retryAt, first);
}
