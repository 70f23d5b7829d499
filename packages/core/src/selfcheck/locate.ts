import { child, type DnsName, DnsNameError, isWithin, labelsOf, parentOf } from '@zoneproof/dns';
import type { Clock, RandomBytes } from '../contract/index.ts';
import { linkedController, untilAborted } from './abort.ts';
import type { ZoneAsker } from './ask-zone.ts';
import { setBudget } from './budget.ts';
import type { Delegations } from './delegations.ts';
import type { ListedView } from './listed-view.ts';
import { shown } from './reply.ts';
import { createSharedCache } from './shared-cache.ts';
import { LocateError, type Location, type SelfCheckMode, SilentZoneError } from './types.ts';
import type { ZoneServers } from './zone-servers.ts';

/** Follows a name to where its value belongs, by questions to authoritative servers, for the name's TXT only. */
export interface Locator {
  /** @throws LocateError */
  locate(name: DnsName, signal: AbortSignal, how?: { readonly isDelegated?: boolean }): Promise<Location>;
  forget(name: DnsName): void;
}

export interface LocatorOptions {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly mode: SelfCheckMode;
}

export function createLocator(
  delegations: Delegations,
  zoneAsker: ZoneAsker,
  listed: ListedView,
  { clock, random, mode }: LocatorOptions,
): Locator {
  /** The zone of a name, and of its siblings, where an answer told it: a TXT answer alone does not. */
  const apexes = createSharedCache<DnsName>(clock, maxNames);
  const chains = createSharedCache<readonly DnsName[]>(clock, maxNames);
  /** Questions under way, by the first label below the zone that is asked. */
  const scouts = new Map<DnsName, Promise<unknown>>();
  /** Zones whose servers were silent a moment ago: the names in them do not each wait for that. */
  const silent = createSharedCache<SilentZoneError>(clock, maxZones);

  async function follow(name: DnsName, isDelegated: boolean, signal: AbortSignal): Promise<Location> {
    const chain = [name];
    if (mode === 'listed-only') return inListedView(chain, isDelegated, 'the mode is listed-only', signal);
    for (let at = name; ; ) {
      const end = await step(at, signal).catch((error: unknown) => {
        if (error instanceof SilentZoneError && mode === 'auto') return error;
        throw chain.length > 1 ? atEndOf(chain, error) : error;
      });
      if (end instanceof SilentZoneError) {
        const reason = `no authoritative server of ${shown(end.zone)} answers`;
        return inListedView(chain, isDelegated, reason, signal);
      }
      if (!('alias' in end)) {
        chains.set(name, chain, keepMs);
        // At a challenge's own name nothing but TXT is asked.
        const more = mode === 'auto' && end.zone !== at ? await listed.authoritativeFor(end, signal) : [];
        // Ten thousand names of one zone share one list.
        const servers = more.length === 0 ? end.servers : [...end.servers, ...more];
        return { name, chain, target: at, ...end, servers };
      }
      at = end.alias;
      if (chain.includes(at)) throw new LocateError('cname-loop', loopText([...chain, at], 'leads back to itself'));
      if (chain.length > maxHops)
        throw new LocateError('cname-loop', loopText([...chain, at], `is longer than ${maxHops} aliases`));
      chain.push(at);
    }
  }

  async function inListedView(
    passed: readonly DnsName[],
    isDelegated: boolean,
    reason: string,
    signal: AbortSignal,
  ): Promise<Location> {
    const name = passed[0] as DnsName;
    const alias = passed.length === 1 && isDelegated ? await listed.aliasOf(name, signal) : undefined;
    const chain = alias === undefined ? passed : [name, alias];
    const target = chain.at(-1) as DnsName;
    chains.set(name, chain, keepMs);
    const { zone, ...view } = await listed.locate(target, signal);
    return { name, chain, target, zone, servers: [], listed: { ...view, reason } };
  }

  /** From the nearest known zone down to the one that answers for `name`. */
  async function step(name: DnsName, signal: AbortSignal): Promise<ZoneServers | { readonly alias: DnsName }> {
    const remembered = delegations.known(name);
    const silence = remembered && silent.get(remembered.zone);
    if (silence !== undefined) throw silence;
    try {
      return await descend(name, signal);
    } catch (error) {
      // What was remembered may be out of date: once more from the start.
      if (!remembered || !(error instanceof LocateError) || error.kind !== 'unreachable') throw error;
      delegations.forget(name);
      return descend(name, signal);
    }
  }

  async function descend(name: DnsName, signal: AbortSignal): Promise<ZoneServers | { readonly alias: DnsName }> {
    let zone = await delegations.start(name, signal);
    for (let depth = 0; depth < maxDepth; depth++) {
      const branch = branchBelow(zone.zone, name);
      const scout = scouts.get(branch);
      if (scout) {
        // Of many names behind one unknown zone cut, one finds it and the others follow.
        await untilAborted(scout, signal).catch(() => signal.throwIfAborted());
        const deeper = delegations.known(name);
        if (deeper && deeper.zone !== zone.zone && isWithin(deeper.zone, zone.zone)) {
          zone = deeper;
          continue;
        }
      }
      const next = descendOnce(zone, name, signal);
      if (!scout) {
        scouts.set(branch, next);
        next.catch(() => {}).finally(() => scouts.delete(branch));
      }
      const found = await next;
      if (!('below' in found)) return found;
      zone = found.below;
    }
    throw new LocateError(
      'no-delegation',
      `the delegations towards ${name} do not end after ${maxDepth} zones; check the NS records on the way`,
    );
  }

  async function descendOnce(
    zone: ZoneServers,
    name: DnsName,
    signal: AbortSignal,
  ): Promise<ZoneServers | { readonly alias: DnsName } | { readonly below: ZoneServers }> {
    const known = silent.get(zone.zone);
    if (known !== undefined) throw known;
    const reply = await zoneAsker.txt(zone, name, signal).catch((error: unknown) => {
      if (error instanceof SilentZoneError && mode === 'auto') silent.set(zone.zone, error, silentMs);
      throw error;
    });
    switch (reply.kind) {
      case 'alias':
        if (!(await isFromWildcard(reply.target, zone, name, signal))) return { alias: reply.target };
        return inZone(knownApex(zone.zone, name) ?? zone.zone, zone, name, signal);
      case 'referral':
        return { below: await delegations.child(reply.zone, reply.nameservers, name, signal) };
      case 'none':
        return inZone(reply.apex ?? zone.zone, zone, name, signal);
      case 'values': {
        const apex = reply.apex ?? knownApex(zone.zone, name) ?? (await probeApex(zone, name, signal));
        return inZone(apex, zone, name, signal);
      }
    }
  }

  function inZone(apex: DnsName, asked: ZoneServers, name: DnsName, signal: AbortSignal) {
    apexes.set(name, apex, keepMs);
    const parent = parentOf(name);
    if (apex !== name && parent !== undefined) apexes.set(parent, apex, keepMs);
    return apex === asked.zone ? asked : delegations.sameServers(apex, asked, name, signal);
  }

  function knownApex(zone: DnsName, name: DnsName): DnsName | undefined {
    const apex = apexes.get(name) ?? apexes.get(parentOf(name) ?? name);
    return apex !== undefined && isWithin(apex, zone) && isWithin(name, apex) ? apex : undefined;
  }

  /**
   * A sibling that nobody has made and that has the same alias shows a wildcard. It no longer covers the challenge's
   * name once a value is there (RFC 4592 2.2.1), so it is not followed. Names that an alias led to are taken as meant.
   */
  async function isFromWildcard(target: DnsName, zone: ZoneServers, name: DnsName, signal: AbortSignal) {
    const parent = parentOf(name);
    if (!name.startsWith('_acme-challenge.') || parent === undefined) return false;
    const reply = await zoneAsker.txt(zone, child(randomLabel(), parent), signal);
    return reply.kind === 'alias' && reply.target === target;
  }

  function randomLabel(): string {
    return Buffer.from(random(7)).toString('hex'); // shorter than _acme-challenge, so that it always fits
  }

  /** A name below, which nobody has made, draws the SOA of the zone that `name` is in. */
  async function probeApex(zone: ZoneServers, name: DnsName, signal: AbortSignal): Promise<DnsName> {
    try {
      const reply = await zoneAsker.txt(zone, child(randomLabel(), name), signal);
      // A wildcard answers with values as well; then the zone that was found by delegation is the best knowledge.
      return reply.kind === 'none' && reply.apex !== undefined && isWithin(name, reply.apex) ? reply.apex : zone.zone;
    } catch (error) {
      if (error instanceof LocateError || error instanceof DnsNameError) return zone.zone;
      throw error;
    }
  }

  return {
    async locate(name, signal, { isDelegated = false } = {}) {
      const { controller, unlink } = linkedController(signal);
      const late = new LocateError(
        'unreachable',
        `finding the zone of ${name} took more than ${deadlineMs / 1000} s; check that its name servers can be reached`,
      );
      const timer = setTimeout(() => controller.abort(late), deadlineMs);
      setBudget(controller.signal, maxQuestions, () => {
        const error = new LocateError(
          'unreachable',
          `finding the zone of ${name} took more than ${maxQuestions} questions; check the delegations towards it and ` +
            'the addresses of its name servers',
        );
        controller.abort(error);
        return error;
      });
      try {
        return await untilAborted(follow(name, isDelegated, controller.signal), controller.signal);
      } finally {
        clearTimeout(timer);
        unlink();
      }
    },
    forget(name) {
      for (const passed of [name, ...(chains.get(name) ?? [])]) {
        delegations.forget(passed);
        apexes.delete(passed);
        apexes.delete(parentOf(passed) ?? passed);
      }
      chains.delete(name);
    },
  };
}

const maxHops = 10;
const maxDepth = 16;
const maxNames = 10_000;
const keepMs = 300_000;
const silentMs = 60_000;
const maxZones = 1000;
const deadlineMs = 20_000;
/** Of one name's way, through at most ten aliases: a usual one takes about six. */
const maxQuestions = 64;

/** `co.uk` and `_acme-challenge.www.example.co.uk` -> `example.co.uk`. */
function branchBelow(zone: DnsName, name: DnsName): DnsName {
  const depth = labelsOf(zone).length + 1;
  return labelsOf(name).slice(-depth).join('.') as DnsName;
}

function loopText(chain: readonly DnsName[], what: string): string {
  return `the CNAME chain ${chain.join(' -> ')} ${what}; correct the CNAME of ${chain[0]}`;
}

function atEndOf(chain: readonly DnsName[], error: unknown): unknown {
  if (!(error instanceof LocateError)) return error;
  if (error.kind !== 'no-delegation')
    return new LocateError(error.kind, `${chain.join(' is a CNAME to ')}: ${error.message}`, error);
  return new LocateError(
    'cname-dangling',
    `${chain.join(' is a CNAME to ')}, and there it ends: ${error.message}. Or correct the CNAME of ${chain.at(-2)}`,
    error,
  );
}
