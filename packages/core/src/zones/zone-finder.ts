import { type CallContext, type Clock, ProviderError, type RecordTarget, type Zone } from '../contract/index.ts';
import { onAbort, systemTimers, type Timers } from '../time/index.ts';
import { type BoundProvider, createProviderCalls, type ProviderCalls } from '../writer/index.ts';
import { longestZone } from './longest-zone.ts';

/** Finds the zone to write a challenge's value to. */
export interface ZoneFinder {
  /**
   * @throws ProviderError: `zone-not-found` names the zones that were seen, or the ids of zones of one name; or what
   * the provider throws
   */
  find(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone>;
  /** Drops the zones known of a provider's account: after a write that met `zone-not-found`, a new Secret or spec. */
  forget(bound: BoundProvider): void;
}

export interface ZoneFinderOptions {
  readonly clock: Clock;
  readonly timers?: Timers;
  /** Shared with the record writer. */
  readonly calls?: ProviderCalls;
  /** How long a list of zones is used; default 300 000. */
  readonly keepMs?: number;
  /** Deadline of one call; default 30 000. */
  readonly callTimeoutMs?: number;
}

interface Listing {
  readonly zones: Promise<readonly Zone[]>;
  readonly stop: AbortController;
  waiting: number;
  validUntil: number;
}

export function createZoneFinder(options: ZoneFinderOptions): ZoneFinder {
  const { clock, timers = systemTimers, keepMs = 300_000, callTimeoutMs = 30_000 } = options;
  const calls = options.calls ?? createProviderCalls(clock, timers);
  const listings = new Map<string, Listing>();

  function call<T>(
    bound: BoundProvider,
    what: string,
    signal: AbortSignal,
    work: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    return calls.run(bound, what, { signal, timeoutMs: callTimeoutMs }, work);
  }

  function list(bound: BoundProvider): Listing {
    const key = cacheKey(bound);
    const known = listings.get(key);
    if (known !== undefined && clock.now() < known.validUntil) return known;
    const stop = new AbortController();
    const zones = call(bound, 'listing zones', stop.signal, (context) => {
      if (bound.provider.listZones === undefined) throw incomplete(bound);
      return bound.provider.listZones(context);
    });
    const listing: Listing = { zones, stop, waiting: 0, validUntil: Number.POSITIVE_INFINITY };
    listings.set(key, listing);
    zones.then(
      () => {
        listing.validUntil = clock.now() + keepMs;
      },
      () => {
        if (listings.get(key) === listing) listings.delete(key);
      },
    );
    return listing;
  }

  async function findInList(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone> {
    const listing = list(bound);
    const zones = await waitFor(listing, bound, signal, () => {
      if (listings.get(cacheKey(bound)) === listing) listings.delete(cacheKey(bound));
    });
    const zone = longestZone(target.name, zones);
    if (zone === undefined) throw noZone(bound, target, zones);
    if ('ambiguous' in zone) throw severalZones(bound, zone.ambiguous);
    return zone;
  }

  return {
    async find(bound, target, signal) {
      const { provider } = bound;
      if (provider.findZone === undefined) return findInList(bound, target, signal);
      const zone = await call(bound, `finding the zone of ${target.name}`, signal, async (context) =>
        provider.findZone?.(target, context),
      );
      if (zone === undefined) throw noZone(bound, target, undefined);
      return zone;
    },
    forget(bound) {
      listings.delete(cacheKey(bound));
    },
  };
}

/** One request serves all who ask meanwhile; it is stopped when the last of them stops waiting. */
function waitFor(
  listing: Listing,
  bound: BoundProvider,
  signal: AbortSignal,
  abandon: () => void,
): Promise<readonly Zone[]> {
  if (signal.aborted) return Promise.reject(stoppedWaiting(bound));
  listing.waiting++;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => {
      listing.waiting--;
      reject(stoppedWaiting(bound));
      if (listing.waiting > 0 || Number.isFinite(listing.validUntil)) return;
      abandon();
      listing.stop.abort(signal.reason);
    });
    const done = () => {
      forget();
      if (!signal.aborted) listing.waiting--;
    };
    listing.zones.finally(done).then(resolve, reject);
  });
}

/** Blocks of one account may point at different Secrets or at a zone of their own, and so may see different zones. */
function cacheKey({ account, block }: BoundProvider): string {
  return `${account} ${JSON.stringify(block.config)}`;
}

function noZone(bound: BoundProvider, target: RecordTarget, seen: readonly Zone[] | undefined): ProviderError {
  const where = target.name === target.challengeName ? '' : ` (where ${target.challengeName} leads)`;
  const head = `${bound.displayName}: no zone holds ${target.name}${where}`;
  if (seen === undefined)
    return new ProviderError({
      kind: 'zone-not-found',
      message: `${head}. Create the zone there or choose another provider for ${target.domain}.`,
    });
  return new ProviderError({
    kind: 'zone-not-found',
    message: `${head} (${describeSeen(seen)}). Add the zone to this account or choose another provider for ${target.domain}.`,
  });
}

const shown = 10;

function describeSeen(zones: readonly Zone[]): string {
  if (zones.length === 0) return 'the credentials see no zone at all';
  const names = zones
    .slice(0, shown)
    .map((zone) => (zone.visibility === 'private' ? `${zone.name} (private)` : zone.name));
  const more = zones.length > shown ? ', ...' : '';
  return `${zones.length} ${zones.length === 1 ? 'zone' : 'zones'} seen: ${names.join(', ')}${more}`;
}

function severalZones(bound: BoundProvider, zones: readonly Zone[]): ProviderError {
  const ids = zones.map((zone) => zone.id).join(', ');
  return new ProviderError({
    kind: 'zone-not-found',
    message: `${bound.displayName}: ${zones.length} public zones are called ${zones[0]?.name} (ids ${ids}). Name the one that is delegated to in the provider block, or remove the others.`,
  });
}

function incomplete(bound: BoundProvider): ProviderError {
  return new ProviderError({
    kind: 'invalid',
    message: `${bound.displayName}: the provider package has neither listZones nor findZone. Report this to its maintainer.`,
  });
}

function stoppedWaiting(bound: BoundProvider): ProviderError {
  return new ProviderError({
    kind: 'aborted',
    message: `${bound.displayName}: waiting for the list of zones was stopped`,
  });
}
