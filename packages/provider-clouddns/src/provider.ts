import {
  type CallContext,
  type ChangeOutcome,
  type CheckItem,
  checkFailure,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type Receipt,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, toDnsName } from '@zoneproof/dns';
import { createClient, type ZoneResource } from './client.ts';
import type { ClouddnsConfig } from './config.ts';
import { hintedAt } from './errors.ts';
import { changeRead, changeUnread, groupByName, isSoAlready, type SetChange, type WantedSet } from './rrset.ts';

const receiptKind = 'cloud-dns-change';

/**
 * Writes by changes of Cloud DNS: any number of sets, all or none, and a deletion has to be the stored set to the
 * letter. So a change is sent at first as if nothing but our own values stood at its names. When Google refuses that,
 * nothing has happened; what stands there is read once, and one corrected change is sent.
 */
export function createClouddnsProvider(config: ClouddnsConfig, host: ProviderHost): DnsProvider {
  const { providerName: at } = host;
  const client = createClient(config, host);

  function changed(zone: Zone, id: string | undefined): ChangeOutcome {
    if (id === undefined) return { status: 'changed' };
    const receipt: Receipt = { kind: receiptKind, token: JSON.stringify({ zone: zone.id, change: id }) };
    return { status: 'changed', receipt };
  }

  async function correct(
    zone: Zone,
    wanted: readonly WantedSet[],
    call: CallContext,
  ): Promise<readonly ChangeOutcome[]> {
    const stored = await client.txtSets(
      zone.id,
      wanted.map(({ name }) => name),
      call,
    );
    const routed = wanted.filter(({ name }) => stored.get(name)?.isRouted);
    const sets = new Map<string, SetChange>();
    for (const set of wanted.filter((one) => !routed.includes(one))) {
      const change = changeRead(set, stored.get(set.name));
      if (change) sets.set(set.name, change);
    }
    let written: ChangeOutcome | undefined;
    if (sets.size > 0)
      try {
        written = changed(zone, await client.createChange(zone.id, [...sets.values()], call));
      } catch (error) {
        if (!isProviderError(error)) throw error;
        const status = error.details.sent === true ? 'unknown' : 'failed';
        written = { status, error: error.kind === 'conflict' ? overtaken(zone, [...sets.values()], error) : error };
      }
    return wanted.flatMap(({ name, changes }) =>
      changes.map((change): ChangeOutcome => {
        if (stored.get(name)?.isRouted) return { status: 'failed', error: routingPolicy(change.name) };
        if (isSoAlready(change, stored.get(name))) return { status: 'unchanged' };
        return written ?? { status: 'unchanged' };
      }),
    );
  }

  function overtaken(zone: Zone, sets: readonly SetChange[], error: ProviderError): ProviderError {
    const hint = hintedAt(error);
    const parts = sets.flatMap((set) => (hint?.part === 'deletions' ? set.deletion : set.addition) ?? []);
    const name = (hint ? parts[hint.at]?.name : undefined)?.replace(/\.$/, '') ?? zone.name;
    const message = `${at}: somebody else wrote to ${name} in zone ${zone.name} between reading and writing (${error.details.httpStatus} ${error.details.vendorCode ?? ''}); nothing was changed. It is applied again.`;
    return new ProviderError({ ...error.details, message });
  }

  function routingPolicy(name: DnsName): ProviderError {
    const message = `${at}: the TXT set ${name} has a routing policy, into which no value can be added. Remove the policy, or let ${name} be a CNAME to another name.`;
    return new ProviderError({ kind: 'invalid', message });
  }

  return {
    async apply(zone, changes, call) {
      const wanted = groupByName(changes);
      let outcomes: readonly ChangeOutcome[];
      try {
        const id = await client.createChange(zone.id, wanted.map(changeUnread), call);
        outcomes = wanted.flatMap((set) => set.changes.map(() => changed(zone, id)));
      } catch (error) {
        if (!isProviderError(error) || error.kind !== 'conflict') throw error;
        outcomes = await correct(zone, wanted, call);
      }
      const byChange = new Map(wanted.flatMap((set) => set.changes).map((change, i) => [change, outcomes[i]!]));
      return changes.map((change) => byChange.get(change)!);
    },

    async listZones(call) {
      return (await client.zones(call)).flatMap(toZone);
    },

    async syncState(receipt, call) {
      const { zone, change } = readToken(receipt);
      if (zone === undefined || change === undefined)
        return { state: 'unknown', reason: `${at}: that is no receipt of a change of Cloud DNS` };
      try {
        const status = await client.changeStatus(zone, change, call);
        if (status === 'done') return { state: 'synced' };
        if (status === 'pending') return { state: 'pending' };
        return { state: 'unknown', reason: `${at}: Cloud DNS gives change ${change} no status that is known` };
      } catch (error) {
        if (!isProviderError(error) || (error.kind !== 'permission' && error.kind !== 'zone-not-found')) throw error;
        return { state: 'unknown', reason: error.message };
      }
    },

    async check(call) {
      try {
        const zones = (await client.zones(call)).flatMap(toZone);
        const clock = client.clock();
        return [
          { what: 'reachable', result: 'ok', detail: `${at}: Cloud DNS answers.` },
          { what: 'credentials', result: 'ok', detail: `${at}: Google takes the credentials.` },
          zonesSeen(zones),
          ...(clock === ''
            ? []
            : [
                {
                  what: 'clock',
                  result: 'warning',
                  detail: `${at}: correct the clock of this machine.${clock}`,
                } as const,
              ]),
        ];
      } catch (error) {
        return [failedCheck(error)];
      }
    },
  };

  function zonesSeen(zones: readonly Zone[]): CheckItem {
    const open = zones.filter(({ visibility }) => visibility !== 'private');
    const hidden = zones.length - open.length;
    const count = `${open.length} public ${open.length === 1 ? 'zone' : 'zones'}${hidden === 0 ? '' : ` and ${hidden} private`}`;
    if (open.length > 0)
      return { what: 'zones', result: 'ok', detail: `${at}: ${count} in project ${config.project}.` };
    const detail = `${at}: no public managed zone in project ${config.project}${hidden === 0 ? '' : `, ${hidden} private`}. Check the project's id.`;
    return { what: 'zones', result: 'warning', detail };
  }

  function failedCheck(error: unknown): CheckItem {
    const what = (isProviderError(error) && checked[error.kind]) || 'reachable';
    return { what, ...checkFailure(error, at) };
  }
}

const checked: Partial<Record<ProviderError['kind'], CheckItem['what']>> = {
  auth: 'credentials',
  permission: 'zones',
  'zone-not-found': 'zones',
};

/** A zone that is visible in networks of the project only is named, but never chosen. */
function toZone({ name, dnsName, visibility, nameServers, forwardingConfig, peeringConfig }: ZoneResource): Zone[] {
  if (typeof name !== 'string' || typeof dnsName !== 'string') return [];
  const isPrivate = visibility === 'private' || forwardingConfig !== undefined || peeringConfig !== undefined;
  try {
    const zone = { id: name, name: toDnsName(dnsName) };
    if (isPrivate) return [{ ...zone, visibility: 'private' }];
    const hosts = hostsOf(nameServers);
    return [{ ...zone, ...(hosts.length > 0 && { nameServers: hosts }) }];
  } catch {
    return []; // a name that no challenge can lie in
  }
}

/** For the preflight, which tells when the world asks other servers; what cannot be read is left out. */
function hostsOf(nameServers: unknown): readonly DnsName[] {
  if (!Array.isArray(nameServers)) return [];
  return nameServers.flatMap((host) => {
    try {
      return [toDnsName(String(host))];
    } catch {
      return [];
    }
  });
}

function readToken({ kind, token }: Receipt): { readonly zone?: string; readonly change?: string } {
  try {
    const { zone, change } = JSON.parse(token) as { readonly zone?: unknown; readonly change?: unknown };
    return kind === receiptKind && typeof zone === 'string' && typeof change === 'string' ? { zone, change } : {};
  } catch {
    return {};
  }
}
