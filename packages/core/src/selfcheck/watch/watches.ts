import { formatServer } from '@zoneproof/dns';
import { type AskedServer, askedServers, listedServer } from '../asked-server.ts';
import { nextLookAt } from '../schedule.ts';
import type { StartingServers } from '../starting-servers.ts';
import type { Location, Sighting, Wanted } from '../types.ts';
import { newZoneState, type Rules, type Watched } from './state.ts';
import { createZoneWatch, type ZoneWatch, type ZoneWatchOptions } from './zone-watch.ts';

/** All values that are waited for, by zone. */
export interface Watches {
  watch(wanted: Wanted): Sighting;
  unwatch(key: string): void;
  close(): void;
}

export interface WatchesOptions extends Omit<ZoneWatchOptions, 'state' | 'onNews' | 'onDoubt'> {
  /** Asked last, once the authoritative servers agree; absent: that is enough. */
  readonly finalResolvers?: StartingServers;
  /** Milliseconds between the last server's first sight and the confirmation. */
  readonly confirmAfterMs: number;
  readonly forget: (name: Location['name']) => void;
}

interface Member {
  readonly zone: ZoneWatch;
  readonly watched: Watched;
}

interface Entry {
  wanted: Wanted;
  readonly first: Member;
  /** At the resolvers that are asked last; `none` when their list is empty or cannot be had now. */
  second: Member | 'listing' | 'none' | undefined;
}

export function createWatches(options: WatchesOptions): Watches {
  const zones = new Map<string, ZoneWatch>();
  const entries = new Map<string, Entry>();

  function zoneWatch(location: Location, servers: readonly AskedServer[], rules: Rules): ZoneWatch {
    const { zone, unresolved = [] } = location;
    const names = servers.map(({ to, who }) => `${who.server} ${formatServer(to)}`);
    const key = JSON.stringify([zone, rules.maySayNothing, names, unresolved]);
    const known = zones.get(key);
    if (known) return known;
    const made = createZoneWatch({
      ...options,
      state: newZoneState(zone, servers, rules.maySayNothing ? [] : unresolved, rules),
      onNews: ({ wanted }) => tell(wanted.key),
      onDoubt: ({ wanted }) => options.forget(wanted.location.name),
    });
    zones.set(key, {
      ...made,
      get size() {
        return made.size;
      },
      remove(watched) {
        made.remove(watched);
        if (made.size > 0) return;
        made.close();
        zones.delete(key);
      },
    });
    return zones.get(key) as ZoneWatch;
  }

  function join(zone: ZoneWatch, wanted: Wanted): Member {
    return { zone, watched: zone.add(wanted) };
  }

  function tell(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    // News that only begins the last stage is none for the watcher.
    if (entry.second === undefined && beginLast(entry)) return;
    entry.wanted.changed();
  }

  /** Begins the last stage where there is one and the others are over. @returns whether it was begun */
  function beginLast(entry: Entry): boolean {
    const { first, wanted } = entry;
    const isLast = options.finalResolvers !== undefined && wanted.location.listed === undefined;
    if (!isLast || first.watched.visibleAt === undefined) return false;
    entry.second = 'listing';
    void listLast().then((servers) => {
      if (entry.second !== 'listing' || entries.get(wanted.key) !== entry) return;
      entry.second =
        servers.length === 0
          ? 'none'
          : join(zoneWatch(wanted.location, servers, lastRules), { ...wanted, presentedAt: options.clock.now() });
      if (entry.second === 'none') entry.wanted.changed();
    });
    return true;
  }

  async function listLast(): Promise<readonly AskedServer[]> {
    try {
      return ((await options.finalResolvers?.()) ?? []).map(listedServer);
    } catch {
      // Their names cannot be looked up now: as with one that gives no answer, that stands in nobody's way.
      return [];
    }
  }

  function leave(entry: Entry): void {
    entry.first.zone.remove(entry.first.watched);
    leaveLast(entry);
  }

  function leaveLast(entry: Entry): void {
    if (typeof entry.second === 'object') entry.second.zone.remove(entry.second.watched);
    entry.second = undefined;
  }

  return {
    watch(wanted) {
      const known = entries.get(wanted.key);
      if (known !== undefined && isSame(known.wanted, wanted)) {
        known.wanted = wanted;
        return sightingOf(known);
      }
      const { location } = wanted;
      const rules =
        location.listed === undefined ? authoritativeRules(options) : listedRules(location.listed.waitMs, options);
      // Joined before the old watch is left: where both are one zone, its rounds go on.
      const entry: Entry = {
        wanted,
        first: join(zoneWatch(location, askedServers(location), rules), wanted),
        second: undefined,
      };
      entries.set(wanted.key, entry);
      if (known !== undefined) leave(known);
      return sightingOf(entry);
    },
    unwatch(key) {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entries.delete(key);
      leave(entry);
    },
    close() {
      for (const zone of zones.values()) zone.close();
      zones.clear();
      entries.clear();
    },
  };

  function sightingOf(entry: Entry): Sighting {
    const seen = entry.first.zone.sighting(entry.first.watched);
    if (seen.state === 'waiting') {
      leaveLast(entry);
      return seen;
    }
    if (entry.second === 'none') return seen;
    if (typeof entry.second === 'object') return withLast(seen, entry.second.zone.sighting(entry.second.watched));
    return entry.second === 'listing' || beginLast(entry) ? { ...seen, state: 'waiting' } : seen;
  }
}

/** The authoritative servers' evidence with that of the resolvers that were asked last. */
function withLast(seen: Sighting, last: Sighting): Sighting {
  if (seen.evidence === undefined || last.evidence === undefined) return { ...seen, state: 'waiting' };
  const servers = [...seen.evidence.servers, ...last.evidence.servers];
  if (last.state === 'visible') return { state: 'visible', evidence: { ...seen.evidence, servers } };
  const lacking = last.evidence.servers.filter(({ finding }) => finding === 'lacks').map(({ server }) => server);
  const summary =
    `${seen.evidence.summary}; of the resolvers that are asked last, ${lacking.join(', ')} ` +
    `${lacking.length === 1 ? 'lacks' : 'lack'} it: nothing to do unless this lasts beyond the negative TTL of the zone`;
  return { state: 'waiting', evidence: { ...seen.evidence, verdict: 'missing', servers, summary } };
}

function isSame(one: Wanted, other: Wanted): boolean {
  return (
    one.presentedAt === other.presentedAt &&
    one.values.join('\n') === other.values.join('\n') &&
    (one.location === other.location || placeOf(one.location) === placeOf(other.location))
  );
}

function placeOf({ target, zone, servers, unresolved, listed }: Location): string {
  return JSON.stringify([target, zone, servers, unresolved ?? [], listed?.servers ?? []]);
}

function authoritativeRules({ confirmAfterMs }: WatchesOptions): Rules {
  return {
    nextLookAt,
    confirmAfterMs,
    confirmFlickeringAfterMs: confirmAfterMs * 2,
    asksSerials: true,
    maySayNothing: false,
  };
}

/** Resolvers keep what they did not find: they are asked late, and seldom. */
function listedRules(waitMs: number, { confirmAfterMs }: WatchesOptions): Rules {
  return {
    nextLookAt: (looks, presentedAt, now) => (looks === 0 ? presentedAt + waitMs : now + seldomMs(looks)),
    confirmAfterMs,
    confirmFlickeringAfterMs: confirmAfterMs * 2,
    asksSerials: false,
    maySayNothing: false,
  };
}

const lastRules: Rules = {
  nextLookAt: (looks, presentedAt, now) => (looks === 0 ? presentedAt : now + seldomMs(looks)),
  confirmAfterMs: undefined,
  confirmFlickeringAfterMs: 0,
  asksSerials: false,
  maySayNothing: true,
};

function seldomMs(looks: number): number {
  return Math.min(60_000, 10_000 * looks);
}
