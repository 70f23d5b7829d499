import {
  type Clock,
  isProviderError,
  ProviderError,
  type ProviderErrorKind,
  type RecordTarget,
  type Zone,
} from '../contract/index.ts';
import { onAbort, systemTimers, type Timers } from '../time/index.ts';
import { type BoundProvider, createProviderCalls, namespaceOf, type ProviderCalls } from '../writer/index.ts';
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
  /** How long zones that were listed or found are used; default 300 000. */
  readonly keepMs?: number;
  /** Deadline of one question; default 30 000. A list, which may have hundreds of pages, has four times as long. */
  readonly callTimeoutMs?: number;
}

interface Answer {
  /** The one name that was asked for; undefined: all zones. */
  readonly target: RecordTarget | undefined;
  readonly zones: Promise<readonly Zone[]>;
  readonly stop: AbortController;
  /** Asks anew the next time. */
  readonly drop: () => void;
  waiting: number;
  validUntil: number;
}

export function createZoneFinder(options: ZoneFinderOptions): ZoneFinder {
  const { clock, timers = systemTimers, keepMs = 300_000, callTimeoutMs = 30_000 } = options;
  const calls = options.calls ?? createProviderCalls(clock, timers);
  /** By block, then by what was asked. */
  const answers = new Map<string, Map<string, Answer>>();

  /** The answer that is there, on its way, or asked for now. */
  function shared(
    bound: BoundProvider,
    key: string,
    target: RecordTarget | undefined,
    ask: (signal: AbortSignal) => Promise<readonly Zone[]>,
  ): Answer {
    const ofBlock = answers.get(blockKey(bound)) ?? new Map<string, Answer>();
    answers.set(blockKey(bound), ofBlock);
    const known = ofBlock.get(key);
    if (known !== undefined && clock.now() < known.validUntil) return known;
    const stop = new AbortController();
    const zones = ask(stop.signal);
    const drop = () => {
      if (ofBlock.get(key) === answer) ofBlock.delete(key);
    };
    const answer: Answer = { target, zones, stop, drop, waiting: 0, validUntil: Number.POSITIVE_INFINITY };
    ofBlock.set(key, answer);
    zones.then(() => {
      answer.validUntil = clock.now() + keepMs;
    }, drop);
    return answer;
  }

  async function findInList(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone> {
    const listing = shared(bound, '', undefined, (stop) =>
      calls.run(
        bound,
        'listing zones',
        { operation: 'listZones', signal: stop, timeoutMs: 4 * callTimeoutMs },
        async (call) => {
          if (bound.provider.listZones === undefined) throw incomplete(bound);
          return bound.provider.listZones(call);
        },
      ),
    );
    const zones = await waitFor(listing, bound, signal);
    const zone = longestZone(target.name, zones);
    if (zone === undefined) throw noZone(bound, target, zones);
    if ('ambiguous' in zone) throw severalZones(bound, zone.ambiguous);
    return zone;
  }

  function ask(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<readonly Zone[]> {
    return calls.run(
      bound,
      `finding the zone of ${target.name}`,
      { operation: 'findZone', signal, timeoutMs: callTimeoutMs },
      async (call) => {
        const zone = await bound.provider.findZone?.(target, call);
        return zone === undefined ? [] : [zone];
      },
    );
  }

  /**
   * An answer holds for another name only where it names the zone that answers for that name in the DNS: then none can
   * be deeper.
   */
  async function findByName(bound: BoundProvider, target: RecordTarget, signal: AbortSignal): Promise<Zone> {
    const take = ([zone]: readonly Zone[]) => {
      if (zone === undefined) throw noZone(bound, target, undefined);
      return zone;
    };
    if (target.zone === undefined) return take(await ask(bound, target, signal));
    const answer = shared(bound, target.zone, target, (stop) => ask(bound, target, stop));
    const isOwn = answer.target?.name === target.name && answer.target.domain === target.domain;
    try {
      const zones = await waitFor(answer, bound, signal);
      if (isOwn || zones[0]?.name === target.zone) return take(zones);
    } catch (error) {
      if (isOwn || !isProviderError(error) || !ofOneName.has(error.kind)) throw error;
    }
    return take(await ask(bound, target, signal));
  }

  return {
    find: (bound, target, signal) =>
      bound.provider.findZone === undefined ? findInList(bound, target, signal) : findByName(bound, target, signal),
    forget(bound) {
      answers.delete(blockKey(bound));
    },
  };
}

/** Kinds that may speak about one name; the others would meet every name of the block. */
const ofOneName: ReadonlySet<ProviderErrorKind> = new Set(['zone-not-found', 'action-required', 'invalid']);

/** One request serves all who ask meanwhile; it is stopped when the last of them stops waiting. */
function waitFor(answer: Answer, bound: BoundProvider, signal: AbortSignal): Promise<readonly Zone[]> {
  if (signal.aborted) return Promise.reject(stoppedWaiting(bound));
  answer.waiting++;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => {
      answer.waiting--;
      reject(stoppedWaiting(bound));
      if (answer.waiting > 0 || Number.isFinite(answer.validUntil)) return;
      answer.drop();
      answer.stop.abort(signal.reason);
    });
    const done = () => {
      forget();
      if (!signal.aborted) answer.waiting--;
    };
    answer.zones.finally(done).then(resolve, reject);
  });
}

/** Blocks of one account may point at different Secrets or at a zone of their own, and so may see different zones. */
function blockKey({ account, block }: BoundProvider): string {
  return `${account} ${namespaceOf(block)} ${JSON.stringify(block.config)}`;
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
  const step =
    bound.zoneField === undefined
      ? 'Remove all but the one whose name servers the delegation names.'
      : `Set ${bound.zoneField} to the id of the one whose name servers the delegation names, or remove the others.`;
  return new ProviderError({
    kind: 'zone-not-found',
    message: `${bound.displayName}: ${zones.length} public zones are called ${zones[0]?.name} (ids ${ids}). ${step}`,
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
    message: `${bound.displayName}: waiting for its zones was stopped`,
  });
}
