import { type DnsMessage, type DnsName, labelsOf, parentOf } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import type { ZoneAsker } from './ask-zone.ts';
import { type Nameservers, nameserversOf, ownerAbove } from './reply.ts';
import type { Resolvers } from './resolvers.ts';
import { createSharedCache } from './shared-cache.ts';
import { LocateError } from './types.ts';
import { mergeNameservers, withAddresses, type ZoneServers } from './zone-servers.ts';

/** What is known of zone cuts and their servers, as one set of listed servers sees the DNS. */
export interface Delegations {
  /**
   * The deepest known zone that holds `name`; else the first zone that the listed servers know when they are asked
   * for the ancestors of `name`, top-down from two labels. The name itself is never asked for.
   *
   * @throws LocateError `no-delegation`, `unreachable`
   */
  start(name: DnsName, signal: AbortSignal): Promise<ZoneServers>;
  /** The deepest known zone that holds `name`, if any. */
  known(name: DnsName): ZoneServers | undefined;
  /** A zone that a referral led to. What the zone itself says of its servers counts beside what its parent says. */
  child(zone: DnsName, nameservers: Nameservers, leaf: DnsName, signal: AbortSignal): Promise<ZoneServers>;
  /** A zone below `via` that the servers of `via` answer for as well, so that no referral ever named its servers. */
  sameServers(zone: DnsName, via: ZoneServers, leaf: DnsName, signal: AbortSignal): Promise<ZoneServers>;
  drop(zone: DnsName): void;
  /** Drops everything on the way to `name`. */
  forget(name: DnsName): void;
}

export function createDelegations(resolvers: Resolvers, zoneAsker: ZoneAsker, clock: Clock): Delegations {
  const zones = createSharedCache<ZoneServers>(clock, maxZones);
  /** What the listed servers said of one ancestor: the zone to start from, or why there is none. */
  const starts = createSharedCache<{ readonly zone: DnsName } | { readonly none: string }>(clock, maxZones);

  const askListed = (zone: DnsName, leaf: DnsName, signal: AbortSignal) =>
    zones.load(zone, signal, async (shared) => {
      const message = await resolvers.ask({ name: zone, type: 'NS' }, shared);
      const nameservers = typeof message === 'string' ? new Map() : nameserversOf(message, zone);
      return entry(await withAddresses(zone, nameservers, leaf, resolvers, shared));
    });

  const findStart = (ancestor: DnsName, leaf: DnsName, signal: AbortSignal) =>
    starts.load(ancestor, signal, async (shared) => {
      const message = await resolvers.ask({ name: ancestor, type: 'NS' }, shared);
      if (typeof message === 'string') return { value: { none: message }, ttlMs: retryMs };
      const zone = cutAt(message, ancestor);
      if (zone === undefined) return { value: { none: `${message.rcode} from ${resolvers.text}` }, ttlMs: retryMs };
      const nameservers = nameserversOf(message, zone);
      if (nameservers.size > 0)
        await zones.load(zone, shared, async (inner) =>
          entry(await withAddresses(zone, nameservers, leaf, resolvers, inner)),
        );
      return { value: { zone }, ttlMs: keepMs };
    });

  function known(name: DnsName): ZoneServers | undefined {
    // Zones of one label are passed over while a name has more: split views begin below them.
    for (let at: DnsName | undefined = name; at !== undefined; at = parentOf(at)) {
      if (labelsOf(at).length < topLabels(name)) return undefined;
      const zone = zones.get(at);
      if (zone) return zone;
    }
    return undefined;
  }

  return {
    known,
    async start(name, signal) {
      const nearest = known(name);
      if (nearest) return nearest;
      const tried: string[] = [];
      for (const ancestor of ancestorsTopDown(name)) {
        const start = await findStart(ancestor, name, signal);
        if ('zone' in start) return zones.get(start.zone) ?? askListed(start.zone, name, signal);
        tried.push(`${ancestor}: ${start.none}`);
      }
      throw new LocateError(
        'no-delegation',
        `no zone holds ${name}: the name servers to start from know none (${tried.join('; ') || 'a single label'}); ` +
          'check the spelling, that the domain is registered, and its delegation',
      );
    },
    child: (zone, nameservers, leaf, signal) =>
      zones.load(zone, signal, async (shared) => {
        const fromParent = await withAddresses(zone, nameservers, leaf, resolvers, shared);
        // At a challenge's own name nothing but TXT is asked: acme-dns says NXDOMAIN to all else.
        if (zone === leaf) return entry(fromParent);
        const message = await zoneAsker.ns(fromParent, zone, shared);
        const own = message ? nameserversOf(message, zone) : new Map();
        if (own.size === 0) return entry(fromParent);
        return entry(await withAddresses(zone, mergeNameservers(own, nameservers), leaf, resolvers, shared));
      }),
    sameServers: (zone, via, leaf, signal) =>
      zones.load(zone, signal, async (shared) => {
        const message = zone === leaf ? undefined : await zoneAsker.ns(via, zone, shared);
        const own = message ? nameserversOf(message, zone) : new Map();
        if (own.size === 0) return entry({ ...via, zone });
        return entry(await withAddresses(zone, own, leaf, resolvers, shared));
      }),
    drop: (zone) => zones.delete(zone),
    forget(name) {
      for (let at: DnsName | undefined = name; at !== undefined; at = parentOf(at)) {
        zones.delete(at);
        starts.delete(at);
      }
    },
  };
}

const maxZones = 1000;
const keepMs = 300_000;
/** A negative answer is taken for true this long, so that the names of one domain do not each ask again. */
const retryMs = 10_000;

function entry(value: ZoneServers) {
  return { value, ttlMs: keepMs };
}

/** The zone to start from that an answer to `ancestor NS` names. */
function cutAt(message: DnsMessage, ancestor: DnsName): DnsName | undefined {
  const root = '' as DnsName;
  const delegated =
    ownerAbove(message.answers, 'NS', ancestor, root) ?? ownerAbove(message.authorities, 'NS', ancestor, root);
  if (delegated) return delegated;
  const apex = ownerAbove(message.authorities, 'SOA', ancestor, root);
  // "No such domain" from a top-level zone is no zone to start from: a name below it may still be served here.
  if (!apex || (message.rcode === 'NXDOMAIN' && labelsOf(apex).length < 2)) return undefined;
  return apex;
}

/** The names above `name` where a walk may begin, from the top. */
export function ancestorsTopDown(name: DnsName): DnsName[] {
  const ancestors: DnsName[] = [];
  for (let at = parentOf(name); at !== undefined && labelsOf(at).length >= topLabels(name); at = parentOf(at))
    ancestors.unshift(at);
  return ancestors;
}

/** Where the walk begins: `_acme-challenge.www.example.com` at `example.com`, `_acme-challenge.lan` at `lan`. */
function topLabels(name: DnsName): number {
  return Math.max(1, Math.min(2, labelsOf(name).length - 1));
}
