import { createSharedCache } from '../selfcheck/shared-cache.ts';
import type { Location } from '../selfcheck/types.ts';
import type { CheckContext } from './context.ts';
import { judgeDelegation } from './delegation.ts';
import { judgeDnssec } from './dnssec.ts';
import type { Finding, Subject } from './finding.ts';
import { judgeNegativeTtl } from './negative-ttl.ts';
import { createTrustObserver } from './observe-trust.ts';
import { observeOneServer, observeZone, type ServerObservation } from './observe-zone.ts';
import { askResolver } from './resolver-view.ts';
import { judgeSerials } from './serials.ts';
import { judgeServers } from './servers.ts';

/** The checks of a zone, made once for all names in it and remembered for a minute. */
export interface ZoneChecks {
  /** Delegation, servers, serials, negative TTL and DNSSEC. */
  all(location: Location, signal: AbortSignal): Promise<readonly Finding[]>;
  /** DNSSEC alone, with the signatures of one server, so that it costs few questions. */
  dnssec(location: Location, signal: AbortSignal): Promise<Finding>;
}

export function createZoneChecks(context: CheckContext): ZoneChecks {
  const { ask, cuts, clock, tell, within } = context;
  const observeTrust = createTrustObserver(ask, cuts, clock);
  const zones = createSharedCache<readonly Finding[]>(clock, maxZones);
  const trusts = createSharedCache<Finding>(clock, maxZones);

  async function judgeTrust(
    { zone, target }: Location,
    servers: readonly ServerObservation[],
    signal: AbortSignal,
  ): Promise<Finding> {
    // A resolver is never asked for a challenge's own name.
    const listed = zone === target ? [] : await context.resolvers();
    const view = await askResolver(zone, listed, context, signal);
    const trust = await observeTrust(zone, servers, view, signal);
    return tell('dnssec', { kind: 'zone', name: zone }, judgeDnssec(trust, context.trustAnchors, clock.now()));
  }

  return {
    all: (location, signal) =>
      zones.load(location.zone, signal, async (shared) => {
        const seen = await observeZone(location, ask, cuts, shared);
        const about: Subject = { kind: 'zone', name: location.zone };
        const value = [
          tell('delegation', about, judgeDelegation(seen)),
          tell('servers', about, judgeServers(seen)),
          tell('serials', about, judgeSerials(seen)),
          tell('negative-ttl', about, judgeNegativeTtl(seen)),
          await judgeTrust(location, seen.servers, shared),
        ];
        return { value, ttlMs: keepMs };
      }),
    dnssec: (location, signal) =>
      trusts.load(location.zone, signal, async (shared) => {
        // Where the root cannot be asked from here, finding that out is not repeated for each order.
        const value = await within<Finding>(
          shared,
          async (ends) => {
            const server = await observeOneServer(location, ask, ends);
            return judgeTrust(location, server === undefined ? [] : [server], ends);
          },
          (problem) =>
            tell('dnssec', { kind: 'zone', name: location.zone }, { result: 'unknown', detail: problem, facts: {} }),
          quickMs,
        );
        return { value, ttlMs: value.result === 'failed' ? keepMs : longKeepMs };
      }),
  };
}

const maxZones = 1000;
const keepMs = 60_000;
const longKeepMs = 300_000;
const quickMs = 8_000;
