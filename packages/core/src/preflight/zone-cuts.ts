import { type DnsName, parentOf } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { nameserversOf } from '../selfcheck/reply.ts';
import type { Resolvers } from '../selfcheck/resolvers.ts';
import { createSharedCache } from '../selfcheck/shared-cache.ts';
import { LocateError } from '../selfcheck/types.ts';
import { withAddresses, type ZoneServers } from '../selfcheck/zone-servers.ts';

/** Zones and their servers as the resolvers tell them. Only names that exist for certain are asked for. */
export interface ZoneCuts {
  /** @throws LocateError when the resolvers know no servers of the zone */
  servers(zone: DnsName, signal: AbortSignal): Promise<ZoneServers>;
  /** The zone above. Undefined above the root, and where the resolvers do not know one. */
  parent(zone: DnsName, signal: AbortSignal): Promise<DnsName | undefined>;
  /** Has the servers of a zone looked up again, since none of them answered for it. */
  drop(zone: DnsName): Promise<void>;
  /** From the root down to the zone itself, as far up as the resolvers know. */
  path(zone: DnsName, signal: AbortSignal): Promise<readonly DnsName[]>;
}

/** @param list the resolvers of the moment */
export function createZoneCuts(list: () => Promise<Resolvers>, clock: Clock): ZoneCuts {
  const known = createSharedCache<ZoneServers>(clock, maxZones);
  const parents = createSharedCache<{ readonly zone: DnsName | undefined }>(clock, maxZones);

  // What other resolvers said may not hold in the view of these.
  const keyOf = ({ key }: Resolvers, zone: DnsName) => `${key} ${zone}`;

  async function nameservers(zone: DnsName, resolvers: Resolvers, signal: AbortSignal) {
    const message = await resolvers.ask({ name: zone, type: 'NS' }, signal);
    return typeof message === 'string' ? new Map() : nameserversOf(message, zone);
  }

  const servers: ZoneCuts['servers'] = async (zone, signal) => {
    const resolvers = await list();
    return known.load(keyOf(resolvers, zone), signal, async (shared) => {
      const found = await nameservers(zone, resolvers, shared);
      // No host of a zone's NS records is a challenge's name, so none is off limits.
      const value = await withAddresses(zone, found, nobody, resolvers, shared);
      return { value, ttlMs: keepMs };
    });
  };

  const parent: ZoneCuts['parent'] = async (zone, signal) => {
    const resolvers = await list();
    const { zone: found } = await parents.load(keyOf(resolvers, zone), signal, async (shared) => {
      for (let at = parentOf(zone); at !== undefined; at = parentOf(at)) {
        const hosts = await nameservers(at, resolvers, shared).catch((error: unknown) => {
          if (error instanceof LocateError) return undefined;
          throw error;
        });
        if (hosts === undefined) return { value: { zone: undefined }, ttlMs: retryMs };
        if (hosts.size > 0) return { value: { zone: at }, ttlMs: keepMs };
      }
      return { value: { zone: undefined }, ttlMs: retryMs };
    });
    return found;
  };

  return {
    servers,
    parent,
    drop: async (zone) => known.delete(keyOf(await list(), zone)),
    async path(zone, signal) {
      const zones: DnsName[] = [zone];
      for (let at = await parent(zone, signal); at !== undefined; at = await parent(at, signal)) zones.unshift(at);
      return zones;
    },
  };
}

const nobody = '.' as DnsName;
const maxZones = 1000;
const keepMs = 300_000;
const retryMs = 10_000;
