import { child, type DnsName } from '@zoneproof/dns';
import { LocateError, type Location } from '../selfcheck/types.ts';
import { createZoneFinder } from '../zones/index.ts';
import { allEnded } from './all-ended.ts';
import type { CaFacts } from './ca.ts';
import { createCaaObserver, judgeCaaFor } from './caa.ts';
import { judgeLeftovers, judgeLocation, judgeWildcard, observeChallenge } from './challenge-name.ts';
import type { ZoneChecks } from './check-zone.ts';
import type { CheckContext } from './context.ts';
import type { CheckId, Finding, Subject } from './finding.ts';
import { judgeProviderZone, type RouteObservation } from './provider.ts';
import { namesOf, type PreflightTarget } from './target.ts';
import { judgeProbe, probe } from './write-probe.ts';

/** The checks of one domain: all that its names and its challenge name have to do with. */
export interface NameChecks {
  all(
    domain: DnsName,
    target: PreflightTarget,
    ca: CaFacts | undefined,
    signal: AbortSignal,
  ): Promise<readonly Finding[]>;
  /** One finding for each name of `names` that the domain proves. `location`: of its challenge name, where it is known. */
  caa(
    domain: DnsName,
    names: readonly string[],
    issuance: { readonly issuers: readonly string[]; readonly accountUrl?: string },
    location: Location | undefined,
    signal: AbortSignal,
  ): Promise<readonly Finding[]>;
}

export function createNameChecks(context: CheckContext, zoneChecks: ZoneChecks): NameChecks {
  const { ask, clock, random, timers, selfCheck, tell, within } = context;
  const zoneFinder = createZoneFinder({ clock, timers });
  const observeCaa = createCaaObserver(context);

  const caa: NameChecks['caa'] = async (domain, names, issuance, location, signal) => {
    const seen = await within(
      signal,
      (ends) => observeCaa(domain, location, ends),
      (problem) => ({ problem }),
    );
    return names.map((name) =>
      tell(
        'caa',
        { kind: 'name', name },
        judgeCaaFor(seen, { name: domain, wildcard: name.startsWith('*.'), ...issuance }),
      ),
    );
  };

  async function locate(
    domain: DnsName,
    { route, providers, isDelegated }: PreflightTarget,
    signal: AbortSignal,
  ): Promise<Location | LocateError> {
    const name = child('_acme-challenge', domain);
    const how = {
      isDelegated: isDelegated?.(domain) ?? (route === undefined && providers?.[0]?.capabilities.model === 'slots'),
    };
    return within<Location | LocateError>(
      signal,
      (ends) => selfCheck.locate(name, ends, how),
      (problem, error) =>
        error instanceof LocateError ? error : new LocateError('unreachable', `${name}: ${problem}`),
    );
  }

  async function findRoute(
    domain: DnsName,
    location: Location,
    target: PreflightTarget,
    signal: AbortSignal,
  ): Promise<RouteObservation | undefined> {
    const [only] = target.providers ?? [];
    const { name: challengeName, target: name, zone } = location;
    if (target.route === undefined && only === undefined) return undefined;
    return within<RouteObservation>(
      signal,
      async (ends) => {
        if (target.route !== undefined) return target.route(domain, location, ends);
        const provider = only as NonNullable<typeof only>;
        return { provider, zone: await zoneFinder.find(provider, { domain, challengeName, name, zone }, ends) };
      },
      (_problem, error) => ({ error }),
    );
  }

  async function checkPlace(
    domain: DnsName,
    location: Location,
    target: PreflightTarget,
    signal: AbortSignal,
  ): Promise<readonly Finding[]> {
    const about: Subject = { kind: 'name', name: domain };
    const [route, seen] = await Promise.all([
      findRoute(domain, location, target, signal),
      within(
        signal,
        (ends) => observeChallenge(location, ask, random, ends),
        () => ({ location, there: undefined, sibling: undefined }),
      ),
    ]);
    const slots = route !== undefined && 'provider' in route && route.provider.capabilities.model === 'slots';
    const findings = [
      tell('wildcard', about, judgeWildcard(seen)),
      tell('leftovers', about, judgeLeftovers(seen, slots)),
    ];
    if (route === undefined) return findings;
    const zone = tell('provider-zone', about, judgeProviderZone(location, route));
    findings.push(zone);
    if (target.probe === undefined) return findings;
    if ('error' in route || zone.result === 'failed') {
      const detail = `nothing was written for ${domain}, since there is no zone to write to`;
      return [...findings, tell('write', about, { result: 'skipped', detail, facts: {} })];
    }
    const observed = await probe(location, route, target.probe, { selfCheck, clock, timers, random }, signal);
    return [...findings, tell('write', about, judgeProbe(observed, target.probe.patienceMs))];
  }

  return {
    caa,
    async all(domain, target, ca, signal) {
      const about: Subject = { kind: 'name', name: domain };
      const unknown = (id: CheckId) => (problem: string) =>
        [tell(id, about, { result: 'unknown', detail: `${domain}: ${problem}`, facts: {} })] as const;
      const place = await locate(domain, target, signal);
      const located = tell('challenge-name', about, judgeLocation(child('_acme-challenge', domain), place));
      const location = place instanceof LocateError ? undefined : place;
      const issuers = ca?.identities ?? target.caaIdentities;
      const account = ca?.account;
      const accountUrl = typeof account === 'object' && 'url' in account ? account.url : undefined;
      const names = namesOf(target, domain);
      const others = await allEnded([
        issuers === undefined
          ? []
          : caa(domain, names, { issuers, ...(accountUrl !== undefined && { accountUrl }) }, location, signal),
        location === undefined
          ? []
          : within<readonly Finding[]>(signal, (ends) => zoneChecks.all(location, ends), unknown('servers')),
        location === undefined ? [] : checkPlace(domain, location, target, signal),
      ]);
      return [located, ...others.flat()];
    },
  };
}
