import {
  child,
  type DnsName,
  DnsNameError,
  type DnsServer,
  type DnsTransport,
  rootTrustAnchors,
  toDnsName,
} from '@zoneproof/dns';
import type { Clock, RandomBytes } from '../contract/index.ts';
import { createAsk } from '../selfcheck/ask.ts';
import { createGate } from '../selfcheck/gate.ts';
import { listResolvers } from '../selfcheck/resolvers.ts';
import { createSelfCheck } from '../selfcheck/self-check.ts';
import { createSharedCache } from '../selfcheck/shared-cache.ts';
import type { StartingServers } from '../selfcheck/starting-servers.ts';
import { LocateError, type Location, type SelfCheck } from '../selfcheck/types.ts';
import { systemTimers, type Timers } from '../time/index.ts';
import type { BoundProvider } from '../writer/index.ts';
import { createZoneFinder } from '../zones/index.ts';
import { createAskServer } from './ask-server.ts';
import {
  type CaFacts,
  judgeAccount,
  judgeClock,
  judgeDirectory,
  judgeProfile,
  judgeTerms,
  type PreflightCa,
} from './ca.ts';
import { judgeCaaFor, observeCaa } from './caa.ts';
import { judgeLeftovers, judgeLocation, judgeWildcard, observeChallenge } from './challenge-name.ts';
import { judgeDelegation } from './delegation.ts';
import { judgeDnssec } from './dnssec.ts';
import {
  type CheckId,
  type Finding,
  type FindingResult,
  finding,
  type Subject,
  type Verdict,
  worstOf,
} from './finding.ts';
import { judgeNegativeTtl } from './negative-ttl.ts';
import { createTrustObserver, type TrustAnchor } from './observe-trust.ts';
import { observeZone, type ZoneObservation } from './observe-zone.ts';
import { checkProvider, judgeProviderZone, type RouteObservation } from './provider.ts';
import { askResolver } from './resolver-view.ts';
import { judgeSerials } from './serials.ts';
import { judgeServers } from './servers.ts';
import { judgeProbe, type ProbeWriter, probe } from './write-probe.ts';
import { createZoneCuts } from './zone-cuts.ts';

export interface PreflightOptions {
  /** As for the self check; a resolver that validates is also asked what it thinks of the zone's DNSSEC. */
  readonly resolvers: StartingServers;
  readonly transport: DnsTransport;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly timers?: Timers;
  /** One to share zones with; default: one of its own. */
  readonly selfCheck?: SelfCheck;
  /** Default: the keys of the root zone. */
  readonly trustAnchors?: readonly TrustAnchor[];
  /** One try of one question, default 2000. */
  readonly tryTimeoutMs?: number;
  /** Each check, default 30 000; a probe has its own patience. */
  readonly checkTimeoutMs?: number;
  /** Called with each finding as it is made. */
  readonly onFinding?: (finding: Finding) => void;
}

/** What shall be issued, by whom, and through which providers. What is left out is not looked at. */
export interface PreflightTarget {
  /** Names of a certificate: `www.example.com`, `*.example.com`. */
  readonly names: readonly string[];
  readonly ca?: PreflightCa;
  /** Names that a CAA record has to hold, where no `ca` tells them: `['letsencrypt.org']`. */
  readonly caaIdentities?: readonly string[];
  readonly providers?: readonly BoundProvider[];
  /** Chooses the provider of a name; default: the only provider, by its own zones. */
  readonly route?: (
    domain: DnsName,
    location: Location,
    signal: AbortSignal,
  ) => Promise<Exclude<RouteObservation, { error: unknown }>>;
  /** Writes a probe value at each name, and removes it. */
  readonly probe?: ProbeWriter;
}

export interface PreflightReport {
  /** The worst of all findings: with `failed` issuance would fail. */
  readonly result: FindingResult;
  readonly findings: readonly Finding[];
}

/** Finds out before an order is spent whether it would succeed. Writes nothing unless a probe is asked for. */
export interface Preflight {
  /**
   * Zones, providers and CAs that several targets have in common are looked at once a minute.
   *
   * @throws DnsNameError for a name that is none; the signal's reason
   */
  check(target: PreflightTarget, signal: AbortSignal): Promise<PreflightReport>;
}

/** One preflight: see {@link Preflight.check}. */
export function preflight(
  target: PreflightTarget,
  options: PreflightOptions & { readonly signal: AbortSignal },
): Promise<PreflightReport> {
  return createPreflight(options).check(target, options.signal);
}

export function createPreflight(options: PreflightOptions): Preflight {
  const { transport, clock, random, timers = systemTimers, tryTimeoutMs = 2000, checkTimeoutMs = 30_000 } = options;
  const { trustAnchors = [{ zone: '' as DnsName, ds: rootTrustAnchors }] } = options;
  const selfCheck = options.selfCheck ?? createSelfCheck(options);
  const ask = createAskServer({ transport, random, tryTimeoutMs });
  const resolverAsk = createAsk({ transport, random, tryTimeoutMs });
  const resolverGate = createGate(16);
  const cuts = createZoneCuts(() => listResolvers(options.resolvers, resolverAsk, resolverGate, 400), clock);
  const observeTrust = createTrustObserver(ask, cuts, clock);
  const zoneFinder = createZoneFinder({ clock, timers });
  const nameGate = createGate(namesAtOnce);
  const zones = createSharedCache<{ readonly seen: ZoneObservation; readonly findings: readonly Finding[] }>(
    clock,
    1000,
  );
  const providers = new WeakMap<BoundProvider, Promise<readonly Finding[]>>();
  const cas = new WeakMap<PreflightCa, Promise<CaFacts | { readonly problem: string }>>();

  function tell(id: CheckId, about: Subject, verdict: Verdict): Finding {
    const found = finding(id, about, verdict);
    options.onFinding?.(found);
    return found;
  }

  /** Runs one check for a bounded time; what comes too late or breaks is unknown, and the others go on. */
  async function within<T>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
    otherwise: (problem: string) => T,
  ): Promise<T> {
    const late = AbortSignal.timeout(checkTimeoutMs);
    try {
      return await work(AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) return otherwise(`this took longer than ${checkTimeoutMs / 1000} s and was left`);
      return otherwise(error instanceof Error ? error.message : 'it broke off');
    }
  }

  async function checkZone(location: Location, signal: AbortSignal) {
    const { zone } = location;
    return zones.load(zone, signal, async (shared) => {
      const seen = await observeZone(location, ask, cuts, shared);
      const about: Subject = { kind: 'zone', name: zone };
      const findings = [
        tell('delegation', about, judgeDelegation(seen)),
        tell('servers', about, judgeServers(seen)),
        tell('serials', about, judgeSerials(seen)),
        tell('negative-ttl', about, judgeNegativeTtl(seen)),
      ];
      return { value: { seen, findings }, ttlMs: keepMs };
    });
  }

  const dnssec = createSharedCache<Finding>(clock, 1000);
  function checkDnssec(location: Location, seen: ZoneObservation, signal: AbortSignal): Promise<Finding> {
    const { zone, target } = location;
    return dnssec.load(zone, signal, async (shared) => {
      const servers = await options.resolvers();
      const asked =
        zone === target
          ? undefined
          : await askResolver(zone, servers as readonly DnsServer[], { transport, random, tryTimeoutMs }, shared);
      const trust = await observeTrust(zone, seen.servers, asked, shared);
      const verdict = judgeDnssec(trust, trustAnchors, clock.now());
      return { value: tell('dnssec', { kind: 'zone', name: zone }, verdict), ttlMs: keepMs };
    });
  }

  async function checkName(
    domain: DnsName,
    target: PreflightTarget,
    ca: CaFacts | undefined,
    signal: AbortSignal,
  ): Promise<readonly Finding[]> {
    const about: Subject = { kind: 'name', name: domain };
    const unknown = (id: CheckId) => (problem: string) =>
      tell(id, about, { result: 'unknown', detail: problem, facts: {} });
    const place = await within(
      signal,
      (ends) => locate(domain, ends),
      (problem) => new LocateError('unreachable', problem),
    );
    // After it, since the way to the name's own zone is known then.
    const caa = checkCaa(domain, target, ca, signal);
    const located = tell('challenge-name', about, judgeLocation(child('_acme-challenge', domain), place));
    if (place instanceof LocateError) return [located, ...(await caa)];
    const [caaFindings, zoneFindings, routeFindings] = await Promise.all([
      caa,
      within(
        signal,
        async (ends) => {
          const { seen, findings } = await checkZone(place, ends);
          return [...findings, await checkDnssec(place, seen, ends)];
        },
        (problem) => [unknown('servers')(problem)],
      ),
      checkRoute(domain, place, target, signal),
    ]);
    return [located, ...caaFindings, ...zoneFindings, ...routeFindings];
  }

  async function locate(domain: DnsName, signal: AbortSignal): Promise<Location | LocateError> {
    try {
      return await selfCheck.locate(child('_acme-challenge', domain), signal);
    } catch (error) {
      if (error instanceof LocateError) return error;
      throw error;
    }
  }

  async function checkCaa(
    domain: DnsName,
    target: PreflightTarget,
    ca: CaFacts | undefined,
    signal: AbortSignal,
  ): Promise<readonly Finding[]> {
    const issuers = ca?.identities ?? target.caaIdentities;
    if (issuers === undefined) return [];
    const account = ca?.account;
    const accountUrl = typeof account === 'object' && 'url' in account ? account.url : undefined;
    const seen = await within(
      signal,
      (ends) => observeCaa(domain, selfCheck, ask, cuts, ends),
      (problem) => ({ problem }),
    );
    return namesOf(target, domain).map((name) => {
      const issuance = {
        name: domain,
        wildcard: name.startsWith('*.'),
        issuers,
        ...(accountUrl !== undefined && { accountUrl }),
      };
      return tell('caa', { kind: 'name', name }, judgeCaaFor(seen, issuance));
    });
  }

  async function checkRoute(
    domain: DnsName,
    location: Location,
    target: PreflightTarget,
    signal: AbortSignal,
  ): Promise<readonly Finding[]> {
    const about: Subject = { kind: 'name', name: domain };
    const route = await findRoute(domain, location, target, signal);
    const isSlots = route !== undefined && 'provider' in route && route.provider.capabilities.model === 'slots';
    const seen = await within(
      signal,
      (ends) => observeChallenge(location, location.servers, ask, random, ends),
      () => ({ location, there: undefined, sibling: undefined }),
    );
    const findings = [
      tell('wildcard', about, judgeWildcard(seen)),
      tell('leftovers', about, judgeLeftovers(seen, isSlots)),
    ];
    if (route === undefined) return findings;
    const zone = tell('provider-zone', about, judgeProviderZone(location, route));
    findings.push(zone);
    if (target.probe === undefined) return findings;
    const skipped = (detail: string) => [...findings, tell('write', about, { result: 'skipped', detail, facts: {} })];
    if (!('provider' in route) || zone.result === 'failed')
      return skipped('nothing was written, since there is no zone to write to');
    const inputs = { selfCheck, clock, timers, random };
    const { patienceMs } = target.probe;
    return [
      ...findings,
      tell('write', about, judgeProbe(await probe(location, route, target.probe, inputs, signal), patienceMs)),
    ];
  }

  async function findRoute(
    domain: DnsName,
    location: Location,
    target: PreflightTarget,
    signal: AbortSignal,
  ): Promise<RouteObservation | undefined> {
    const [only] = target.providers ?? [];
    const byZones =
      only &&
      (async (_domain: DnsName, { name: challengeName, target: name, zone }: Location, ends: AbortSignal) => ({
        provider: only,
        zone: await zoneFinder.find(only, { domain, challengeName, name, zone }, ends),
      }));
    const find = target.route ?? byZones;
    if (find === undefined) return undefined;
    try {
      return await find(domain, location, AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]));
    } catch (error) {
      signal.throwIfAborted();
      return { error };
    }
  }

  function checkProviderOnce(bound: BoundProvider, signal: AbortSignal): Promise<readonly Finding[]> {
    const known = providers.get(bound);
    if (known !== undefined) return known;
    const about: Subject = { kind: 'provider', name: bound.displayName };
    const found = within(
      signal,
      (ends) => checkProvider(bound, clock.now() + checkTimeoutMs, ends),
      (problem) => [
        finding('provider-reachable', about, {
          result: 'unknown',
          detail: `${bound.displayName}: ${problem}`,
          facts: {},
        }),
      ],
    );
    providers.set(bound, found);
    found.then(
      (findings) => {
        for (const each of findings) options.onFinding?.(each);
      },
      () => providers.delete(bound),
    );
    return found;
  }

  function lookAtCa(ca: PreflightCa, signal: AbortSignal): Promise<CaFacts | { readonly problem: string }> {
    const known = cas.get(ca);
    if (known !== undefined) return known;
    const looked = within<CaFacts | { readonly problem: string }>(
      signal,
      (ends) => ca.look(ends),
      (problem) => ({ problem }),
    );
    cas.set(ca, looked);
    looked.catch(() => cas.delete(ca));
    return looked;
  }

  function caFindings({ name }: PreflightCa, seen: CaFacts | { readonly problem: string }): readonly Finding[] {
    const about: Subject = { kind: 'ca', name };
    if ('problem' in seen) return [tell('ca-directory', about, { result: 'failed', detail: seen.problem, facts: {} })];
    return [
      tell('ca-directory', about, judgeDirectory(name, seen)),
      tell('ca-terms', about, judgeTerms(name, seen)),
      tell('ca-account', about, judgeAccount(name, seen)),
      tell('ca-profile', about, judgeProfile(name, seen)),
      tell('ca-clock', about, judgeClock(name, seen)),
    ];
  }

  return {
    async check(target, signal) {
      const domains = [...new Set(target.names.map(domainOf))];
      const seenCa = target.ca === undefined ? undefined : lookAtCa(target.ca, signal);
      const ofCa =
        target.ca === undefined || seenCa === undefined
          ? []
          : seenCa.then((seen) => caFindings(target.ca as PreflightCa, seen));
      const ofNames = domains.map((domain) =>
        nameGate.run(async () => {
          const seen = await seenCa;
          return checkName(domain, target, seen === undefined || 'problem' in seen ? undefined : seen, signal);
        }, signal),
      );
      const ofProviders = (target.providers ?? []).map((bound) => checkProviderOnce(bound, signal));
      const all = await Promise.all([ofCa, ...ofProviders, ...ofNames]);
      const findings = [
        ...new Map(all.flat().map((each) => [`${each.id} ${each.about.kind} ${each.about.name}`, each])).values(),
      ];
      return { result: worstOf(findings.map(({ result }) => result)), findings };
    },
  };
}

const namesAtOnce = 16;
const keepMs = 60_000;

/** @throws DnsNameError */
function domainOf(name: string): DnsName {
  const domain = toDnsName(name.startsWith('*.') ? name.slice(2) : name);
  if (domain === '') throw new DnsNameError(name, 'it is empty');
  return domain;
}

/** The names of the certificate that one challenge name proves: apex and wildcard. */
function namesOf({ names }: PreflightTarget, domain: DnsName): readonly string[] {
  return [
    ...new Set(
      names.filter((name) => domainOf(name) === domain).map((name) => (name.startsWith('*.') ? `*.${domain}` : domain)),
    ),
  ];
}
