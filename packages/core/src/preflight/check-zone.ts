import type { DnsName } from '@zoneproof/dns';
import { createSharedCache } from '../selfcheck/shared-cache.ts';
import type { Location } from '../selfcheck/types.ts';
import type { CheckContext } from './context.ts';
import { judgeDelegation } from './delegation.ts';
import { judgeDnssec } from './dnssec.ts';
import type { Finding, Subject } from './finding.ts';
import { judgeNegativeTtl } from './negative-ttl.ts';
import { createTrustObserver, type ResolverView, type TrustObservation } from './observe-trust.ts';
import { observeOneServer, observeZone, type ServerObservation } from './observe-zone.ts';
import { askResolver } from './resolver-view.ts';
import { judgeSerials } from './serials.ts';
import { judgeServers } from './servers.ts';

/** The checks of a zone, made once for all names in it and remembered for a minute. */
export interface ZoneChecks {
  /** Delegation, servers, serials, negative TTL and DNSSEC. */
  all(location: Location, signal: AbortSignal): Promise<readonly Finding[]>;
  /** DNSSEC alone and cheaply: where a resolver has validated, two questions; else with the signatures of one server. */
  dnssec(location: Location, signal: AbortSignal): Promise<Finding>;
}

export function createZoneChecks(context: CheckContext): ZoneChecks {
  const { ask, cuts, clock, tell, within } = context;
  const observeTrust = createTrustObserver(ask, cuts, clock);
  const zones = createSharedCache<readonly Finding[]>(clock, maxZones);
  const trusts = createSharedCache<Finding>(clock, maxZones);

  /** A resolver is never asked for a challenge's own name. */
  async function viewOf({ zone, target }: Location, signal: AbortSignal): Promise<ResolverView | undefined> {
    return zone === target ? undefined : askResolver(zone, await context.resolvers(), context, signal);
  }

  async function judgeTrust(
    { zone, listed }: Location,
    servers: readonly ServerObservation[],
    view: ResolverView | undefined,
    signal: AbortSignal,
  ): Promise<Finding> {
    const trust =
      listed === undefined ? await observeTrust(zone, servers, view, signal) : withoutChain(zone, listed.reason, view);
    return tell('dnssec', { kind: 'zone', name: zone }, judgeDnssec(trust, context.trustAnchors, clock.now()));
  }

  return {
    all: (location, signal) =>
      zones.load(location.zone, signal, async (shared) => {
        const about: Subject = { kind: 'zone', name: location.zone };
        const trust = (servers: readonly ServerObservation[]) =>
          within<Finding>(
            shared,
            async (ends) => judgeTrust(location, servers, await viewOf(location, ends), ends),
            (problem) => {
              const detail = `DNSSEC of ${location.zone}: ${problem}`;
              return tell('dnssec', about, { result: 'unknown', detail, facts: {} });
            },
            trustMs,
          );
        if (location.listed !== undefined) {
          const detail = `the servers of ${location.zone} are not asked: ${location.listed.reason}`;
          const servers = tell('servers', about, { result: 'unknown', detail, facts: {} });
          return { value: [servers, await trust([])], ttlMs: keepMs };
        }
        const seen = await observeZone(location, ask, cuts, shared);
        const value = [
          tell('delegation', about, judgeDelegation(seen)),
          tell('servers', about, judgeServers(seen)),
          tell('serials', about, judgeSerials(seen)),
          tell('negative-ttl', about, judgeNegativeTtl(seen)),
          await trust(seen.servers),
        ];
        return { value, ttlMs: keepMs };
      }),
    dnssec: (location, signal) =>
      trusts.load(location.zone, signal, async (shared) => {
        const { zone } = location;
        const about: Subject = { kind: 'zone', name: zone };
        // Where the root cannot be asked from here, finding that out is not repeated for each order.
        const value = await within<Finding>(
          shared,
          async (ends) => {
            const view = await viewOf(location, ends);
            if (view?.ad === true) {
              const trust = withoutChain(zone, 'the resolver has done it', view);
              return tell('dnssec', about, judgeDnssec(trust, [], clock.now()));
            }
            const server = await observeOneServer(location, ask, ends);
            return judgeTrust(location, server === undefined ? [] : [server], view, ends);
          },
          (problem) => tell('dnssec', about, { result: 'unknown', detail: problem, facts: {} }),
          quickMs,
        );
        return { value, ttlMs: value.result === 'failed' ? keepMs : longKeepMs };
      }),
  };
}

/** What a resolver alone says. */
function withoutChain(zone: DnsName, problem: string, resolver: ResolverView | undefined): TrustObservation {
  return { zone, path: [], servers: [], problem, ...(resolver !== undefined && { resolver }) };
}

const maxZones = 1000;
const keepMs = 60_000;
const longKeepMs = 300_000;
const quickMs = 8_000;
/** Less than a whole check has, so that the other findings of the zone are not lost with this one. */
const trustMs = 15_000;
