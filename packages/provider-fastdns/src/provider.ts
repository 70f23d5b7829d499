import {
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  checkFailure,
  type DnsProvider,
  describeOffset,
  isProviderError,
  oneLine,
  ProviderError,
  type ProviderHost,
  type Receipt,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { ListedZone } from './answers.ts';
import { createChangeLists, type PlannedEdit } from './change-list.ts';
import { createClient, isConcurrent, isRefusal } from './client.ts';
import type { FastdnsConfig } from './config.ts';
import { everyPage } from './pages.ts';
import { inPieces, readSets } from './read-sets.ts';
import { editFor, missingIn, newSet, type WantedSet, wantedSets } from './record-set.ts';

/** What became of one set: the values that were changed, or why none was. */
type SetResult = { readonly changed: ReadonlySet<string> } | { readonly error: ProviderError };

const zonesPageSize = 500;
const receiptKind = 'edge-dns-zone';

/**
 * Writes into primary zones of Edge DNS. Sets of which nothing of ours is known are created together, in one request
 * that is refused as a whole when one of them is there; all others go through a change list.
 */
export function createFastdnsProvider(config: FastdnsConfig, host: ProviderHost): DnsProvider {
  const { providerName, clock } = host;
  const client = createClient(config, host);
  const changeLists = createChangeLists(client, host);

  return {
    async apply(zone, changes, call) {
      const results = new Map<DnsName, SetResult>();
      const wanted = wantedSets(changes);
      const fresh = wanted.filter(({ absent, held }) => absent.length === 0 && held.length === 0);
      const isCreated = fresh.length > 0 && (await create(zone.name, fresh, results, call));
      const open = isCreated ? wanted.filter(({ name }) => !results.has(name)) : wanted;
      if (open.length > 0)
        try {
          await correct(zone.name, open, new Set(isCreated ? [] : fresh), results, call);
        } catch (error) {
          // What was done before stays done.
          if (!isProviderError(error)) throw error;
          for (const { name } of open) if (!results.has(name)) results.set(name, { error });
        }
      return outcomesOf(changes, results, zone);
    },

    async listZones(call) {
      const listed = await everyPage(
        (page) => client.zones(page, zonesPageSize, call),
        ({ zone }) => zone,
      );
      if (listed === undefined) throw inPieces(providerName, 'the zones');
      return listed.filter(isUsable).map(({ zone }): Zone => ({ id: zone, name: toDnsName(zone) }));
    },

    async syncState({ kind, token }, call) {
      const [zone = ''] = token.split(' ');
      if (kind !== receiptKind || zone === '')
        return { state: 'unknown', reason: 'the receipt is not of this provider' };
      try {
        const { activationState } = await client.zone(zone, call);
        if (activationState === 'ACTIVE') return { state: 'synced' };
        if (activationState === 'PENDING') return { state: 'pending' };
        return {
          state: 'unknown',
          reason: `${providerName}: zone ${zone} is in state ${activationState ?? 'unnamed'}`,
        };
      } catch (error) {
        if (!isProviderError(error) || (error.kind !== 'permission' && error.kind !== 'auth')) throw error;
        return { state: 'unknown', reason: error.message };
      }
    },

    check,
  };

  /** Sets that nobody has, in one request; fills `results`. False when one of them is there. */
  async function create(
    zone: DnsName,
    sets: readonly WantedSet[],
    results: Map<DnsName, SetResult>,
    call: CallContext,
  ): Promise<boolean> {
    try {
      await client.createSets(zone, sets.map(newSet), call);
    } catch (error) {
      if (isRefusal(error, 409) && !isConcurrent(error)) return false;
      throw error;
    }
    for (const { name, present } of sets) results.set(name, { changed: new Set(present) });
    return true;
  }

  /** One look at all sets, then one request for those of `fresh` that are missing and one change list for the others. */
  async function correct(
    zone: DnsName,
    wanted: readonly WantedSet[],
    fresh: ReadonlySet<WantedSet>,
    results: Map<DnsName, SetResult>,
    call: CallContext,
  ): Promise<void> {
    const names = wanted.map(({ name }) => name);
    const found = await readSets(client, providerName, zone, names, call);
    const missing = wanted.filter((one) => fresh.has(one) && !found.has(one.name));
    const planned = wanted.flatMap((one): PlannedEdit[] => {
      if (missing.includes(one)) return [];
      const current = found.get(one.name);
      const edit = editFor(current, one);
      if (edit === undefined) results.set(one.name, { changed: new Set() });
      return edit === undefined ? [] : [{ current, edit }];
    });
    if (missing.length > 0 && !(await create(zone, missing, results, call)))
      for (const { name } of missing) results.set(name, { error: raced(zone, name) });
    if (planned.length === 0) return;
    const refused = await changeLists.write(zone, planned, wanted, call);
    for (const { current, edit } of planned) {
      const error = refused.get(edit.name);
      const one = wanted.find(({ name }) => name === edit.name) as WantedSet;
      results.set(edit.name, error === undefined ? { changed: missingIn(current, one) } : { error });
    }
  }

  function raced(zone: DnsName, name: DnsName): ProviderError {
    const message = `${providerName}: somebody else wrote TXT sets of zone ${zone} at the same time, so ${name} was not created. It is tried again.`;
    return new ProviderError({ kind: 'conflict', message, sent: false });
  }

  function outcomesOf(
    changes: readonly TxtChange[],
    results: ReadonlyMap<DnsName, SetResult>,
    zone: Zone,
  ): readonly ChangeOutcome[] {
    // Each write is a change of its own to follow, though Akamai tells the state of the whole zone.
    const nonce = Buffer.from(host.random(4)).toString('hex');
    const receipt: Receipt = { kind: receiptKind, token: `${zone.name} ${clock.now()} ${nonce}` };
    return changes.map(({ name, value }): ChangeOutcome => {
      const result = results.get(name) as SetResult;
      if ('error' in result)
        return { status: result.error.details.sent === true ? 'unknown' : 'failed', error: result.error };
      return result.changed.has(value) ? { status: 'changed', receipt } : { status: 'unchanged' };
    });
  }

  /** https://techdocs.akamai.com/edge-dns/reference/activation-state-definitions */
  function isUsable({ zone, type, activationState: state }: ListedZone): boolean {
    if (type !== undefined && type !== 'PRIMARY') return false;
    // PENDING is every zone for some seconds after a change.
    if (state === undefined || state === 'ACTIVE' || state === 'PENDING') return true;
    host.warn(
      `${providerName}: zone ${zone} is left out, since its activation state is ${oneLine(state)}. ${adviceFor(state)}`,
    );
    return false;
  }

  async function check(call: CallContext): Promise<readonly CheckItem[]> {
    try {
      const { length, total = length, clockOffsetMs } = await client.zones(1, 1, call);
      const count = total;
      return [
        { what: 'reachable', result: 'ok', detail: `${providerName}: the Edge DNS API answers.` },
        { what: 'credentials', result: 'ok', detail: `${providerName}: the credentials are good.` },
        count > 0
          ? {
              what: 'zones',
              result: 'ok',
              detail: `${providerName}: ${count} primary ${count === 1 ? 'zone' : 'zones'} to be seen; whether they may be written, the first write will tell.`,
            }
          : {
              what: 'zones',
              result: 'failed',
              detail: `${providerName}: no primary zone is to be seen. Give the API client access to the group of the zones.`,
            },
        ...clockItem(clockOffsetMs),
      ];
    } catch (error) {
      const isRefused = isProviderError(error) && (error.kind === 'auth' || error.kind === 'permission');
      const what = isRefused ? 'credentials' : 'reachable';
      return [{ what, ...checkFailure(error, providerName) }];
    }
  }

  function clockItem(offsetMs: number | undefined): readonly CheckItem[] {
    if (offsetMs === undefined || Math.abs(offsetMs) < 10_000) return [];
    const detail = `${providerName}: the clock of this machine is ${describeOffset(offsetMs)} Akamai's, which refuses requests from 30 s on. Set it right (NTP).`;
    return [{ what: 'clock', result: 'warning', detail }];
  }
}

function adviceFor(state: string): string {
  if (state === 'NEW') return 'Add its SOA and NS records and activate it.';
  if (state === 'LOCKED') return 'Unlock it in Akamai Control Center.';
  return 'Look at it in Akamai Control Center.';
}
