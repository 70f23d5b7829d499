import { type DnsName, systemTransport } from '@zoneproof/dns';
import { createGate } from '../selfcheck/gate.ts';
import { systemServers } from '../selfcheck/starting-servers.ts';
import type { Location } from '../selfcheck/types.ts';
import { systemClock, systemRandom } from '../time/index.ts';
import { allEnded } from './all-ended.ts';
import { createNameChecks } from './check-name.ts';
import { createPartyChecks } from './check-parties.ts';
import { createZoneChecks } from './check-zone.ts';
import { createCheckContext, type PreflightOptions } from './context.ts';
import { type Finding, type FindingResult, worstOf } from './finding.ts';
import { domainsOf, namesOf, type PreflightTarget } from './target.ts';

export interface PreflightReport {
  /** The worst of all findings: with `failed` issuance would fail. */
  readonly result: FindingResult;
  readonly findings: readonly Finding[];
}

/** Finds out before an order is spent whether it would succeed. Writes nothing unless a probe is asked for. */
export interface Preflight {
  /**
   * Every check. Zones, providers and CAs that several targets have in common are looked at once a minute; a provider
   * and a CA are the same when they are the same object.
   *
   * @throws DnsNameError for a name that is none; the signal's reason, once probe values are removed
   */
  check(target: PreflightTarget, signal: AbortSignal): Promise<PreflightReport>;
  /**
   * The cheap part, a few questions a name: what forbids issuance for certain. Empty when nothing does, and when it
   * could not be found out: trouble with a lookup forbids nothing.
   *
   * @throws DnsNameError for a name that is none; the signal's reason
   */
  denials(request: DenialRequest, signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface DenialRequest {
  readonly names: readonly string[];
  readonly caaIdentities: readonly string[];
  readonly accountUrl?: string;
  /** Where the challenges of the domains lead. */
  readonly locations: ReadonlyMap<DnsName, Location>;
}

/** One preflight: see {@link Preflight.check}. Without options it starts from the servers of /etc/resolv.conf, in real time. */
export function preflight(
  target: PreflightTarget,
  {
    signal = new AbortController().signal,
    ...options
  }: Partial<PreflightOptions> & { readonly signal?: AbortSignal } = {},
): Promise<PreflightReport> {
  const system = { resolvers: systemServers(), transport: systemTransport, clock: systemClock, random: systemRandom };
  return createPreflight({ ...system, ...options }).check(target, signal);
}

export function createPreflight(options: PreflightOptions): Preflight {
  const context = createCheckContext(options);
  const parties = createPartyChecks(context);
  const zones = createZoneChecks(context);
  const names = createNameChecks(context, zones);
  const gate = createGate(domainsAtOnce);

  return {
    async check(target, signal) {
      const domains = domainsOf(target);
      const { ca, providers = [] } = target;
      const seenCa = ca && parties.ca(ca, signal);
      const found = await allEnded([
        seenCa?.then(({ findings }) => findings) ?? [],
        ...providers.map((bound) => parties.provider(bound, signal)),
        ...domains.map(async (domain) => {
          const facts = (await seenCa)?.facts;
          return gate.run(() => names.all(domain, target, facts, signal), signal);
        }),
      ]);
      const findings = withoutRepeats(found.flat());
      return { result: worstOf(findings.map(({ result }) => result)), findings };
    },

    async denials({ names: wanted, caaIdentities: issuers, accountUrl, locations }, signal) {
      const issuance = { issuers, ...(accountUrl !== undefined && { accountUrl }) };
      const found = await Promise.all(
        domainsOf({ names: wanted }).map((domain) =>
          gate.run(async () => {
            const location = locations.get(domain);
            const [caa, trust] = await Promise.all([
              names.caa(domain, namesOf({ names: wanted }, domain), issuance, location, signal),
              location === undefined
                ? []
                : context.within<readonly Finding[]>(
                    signal,
                    async (ends) => [await zones.dnssec(location, ends)],
                    () => [],
                  ),
            ]);
            return [...caa, ...trust];
          }, signal),
        ),
      );
      const isCertain = ({ result, facts }: Finding) => result === 'failed' && facts.certain !== false;
      return withoutRepeats(found.flat().filter(isCertain));
    },
  };
}

const domainsAtOnce = 16;

/** A zone is a matter of all names in it. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((one) => [`${one.id} ${one.about.kind} ${one.about.name}`, one])).values()];
}
