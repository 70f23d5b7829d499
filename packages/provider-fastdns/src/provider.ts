import {
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type Receipt,
  type TxtChange,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import type { ListedZone } from './answers.ts';
import { createChangeLists, type SetResult } from './change-list.ts';
import { createClient, isRefusal } from './client.ts';
import type { FastdnsConfig } from './config.ts';
import { withoutEffect } from './errors.ts';
import { readSets } from './read-sets.ts';
import { missingIn, newSet, type WantedSet, wantedSets } from './record-set.ts';

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
      const others = wanted.filter((one) => !fresh.includes(one));
      const toEdit = [...others, ...(await create(zone.name, fresh, results, call))];
      if (toEdit.length > 0) await edit(zone.name, toEdit, results, call);
      return outcomesOf(changes, results, zone);
    },

    async listZones(call) {
      const zones: Zone[] = [];
      for (let page = 1, seen = 0; ; page++) {
        const { zones: listed, length, total } = await client.zones(page, zonesPageSize, call);
        zones.push(...listed.filter(isUsable).map(({ zone }) => ({ id: zone, name: toDnsName(zone) })));
        seen += length;
        if (length === 0 || seen >= (total ?? Number.POSITIVE_INFINITY)) return zones;
      }
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

  /** Fills `results`; what it gives back is there already and lacks a value. */
  async function create(
    zone: DnsName,
    fresh: readonly WantedSet[],
    results: Map<DnsName, SetResult>,
    call: CallContext,
  ): Promise<readonly WantedSet[]> {
    if (fresh.length === 0) return [];
    if (await createAll(zone, fresh, call)) {
      for (const one of fresh) results.set(one.name, { changed: new Set(one.present) });
      return [];
    }
    const names = fresh.map(({ name }) => name);
    const current = await readSets(client, { in: 'zones', zone }, names, call).catch((error: unknown) => {
      throw withoutEffect(error);
    });
    const missing = fresh.filter(({ name }) => !current.has(name));
    const lacking = fresh.filter((one) => current.has(one.name) && missingIn(current.get(one.name), one).size > 0);
    for (const { name } of fresh) results.set(name, { changed: new Set() });
    if (missing.length > 0) {
      const isDone = await createAll(zone, missing, call);
      for (const one of missing)
        results.set(one.name, isDone ? { changed: new Set(one.present) } : { error: raced(zone, one.name) });
    }
    return lacking;
  }

  /** False when one of them is there. */
  async function createAll(zone: DnsName, sets: readonly WantedSet[], call: CallContext): Promise<boolean> {
    try {
      await client.createSets(zone, sets.map(newSet), call);
      return true;
    } catch (error) {
      if (isRefusal(error, 409) && !/concurrent/i.test(error.details.vendorCode ?? '')) return false;
      throw error;
    }
  }

  /** Fills `results`. What was done before stays done, whatever becomes of these. */
  async function edit(
    zone: DnsName,
    wanted: readonly WantedSet[],
    results: Map<DnsName, SetResult>,
    call: CallContext,
  ): Promise<void> {
    try {
      for (const [name, result] of await changeLists.write(zone, wanted, call)) results.set(name, result);
    } catch (error) {
      if (!isProviderError(error) || results.size === 0) throw error;
      for (const { name } of wanted) results.set(name, { error });
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
    host.warn(`${providerName}: zone ${zone} is left out, since its activation state is ${state}. ${adviceFor(state)}`);
    return false;
  }

  async function check(call: CallContext): Promise<readonly CheckItem[]> {
    try {
      const { zones, total, clockOffsetMs } = await client.zones(1, 1, call);
      const count = total ?? zones.length;
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
      if (!isProviderError(error)) {
        const name = error instanceof Error ? error.name : typeof error;
        return [{ what: 'reachable', result: 'failed', detail: `${providerName}: the check broke off (${name}).` }];
      }
      const what = error.kind === 'auth' || error.kind === 'permission' ? 'credentials' : 'reachable';
      return [{ what, result: 'failed', detail: error.message }];
    }
  }

  function clockItem(offsetMs: number | undefined): readonly CheckItem[] {
    if (offsetMs === undefined || Math.abs(offsetMs) < 10_000) return [];
    const seconds = Math.round(Math.abs(offsetMs) / 1000);
    const detail = `${providerName}: the clock of this machine is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} Akamai's, which refuses requests from 30 s on. Set it right (NTP).`;
    return [{ what: 'clock', result: 'warning', detail }];
  }
}

function adviceFor(state: string): string {
  if (state === 'NEW') return 'Add its SOA and NS records and activate it.';
  if (state === 'LOCKED') return 'Unlock it in Akamai Control Center.';
  return 'Look at it in Akamai Control Center.';
}
