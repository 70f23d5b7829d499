import {
  type CallContext,
  type CheckItem,
  type DnsProvider,
  isProviderError,
  ProviderError,
  type ProviderHost,
  type RecordTarget,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, labelsOf } from '@zoneproof/dns';
import { applyTogether, type ZoneWriter } from './apply.ts';
import { type Client, createClient, type ZonePlace } from './client.ts';
import { bareZoneId, type RoutednsConfig } from './config.ts';
import { describeSkew } from './errors.ts';
import { toWireName } from './wire-names.ts';
import { readSets } from './zone-sets.ts';

const receiptKind = 'route53-change';

/** Publishes values in hosted zones. How it writes, and what of that each right is for: see {@link climb}. */
export function createRoutednsProvider(config: RoutednsConfig, host: ProviderHost): DnsProvider {
  const { providerName } = host;
  const client = createClient(config, host);
  const zoneId = config.hostedZoneID === undefined ? undefined : bareZoneId(config.hostedZoneID);
  const toldOf = new Set<string>();

  function writerOf(zone: Zone, call: CallContext): ZoneWriter {
    return {
      async change(changes) {
        const token = await client.change(zone, changes, call);
        return token === undefined ? undefined : { kind: receiptKind, token };
      },
      read: (names) => readSets(zone, names, client, call),
      errorOf: (ending, name) => endingError(ending, name, zone, providerName),
    };
  }

  const zones: Pick<DnsProvider, 'findZone' | 'listZones'> =
    zoneId === undefined
      ? { listZones: (call) => listZones(client, call) }
      : { findZone: async (target) => ({ id: zoneId, name: apexOf(target) }) };

  return {
    ...zones,
    apply: (zone, changes, call) => applyTogether(changes, writerOf(zone, call)),

    async syncState({ token }, call) {
      try {
        return await client.changeState(token, call);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        const { kind, message, details } = error;
        if (kind !== 'permission' && details.vendorCode !== 'NoSuchChange') throw error;
        if (kind === 'permission' && !toldOf.has('GetChange')) {
          toldOf.add('GetChange');
          host.warn(`${message} Until then the self check alone tells when a value is published.`);
        }
        return { state: 'unknown', reason: message };
      }
    },

    check: (call) => check(client, zoneId, providerName, call),
  };
}

/** Z3: the list has 100 zones a page. */
async function listZones(client: Client, call: CallContext): Promise<readonly Zone[]> {
  const found: Zone[] = [];
  let after: ZonePlace | undefined;
  do {
    const page = await client.listZones(after, call);
    found.push(...page.zones);
    // A page that leads back to itself would never end.
    after = page.next?.id === after?.id ? undefined : page.next;
  } while (after !== undefined);
  return found;
}

/** What answers in the DNS; where nobody has looked, the name without the labels that hosts never have. */
function apexOf({ name, zone }: RecordTarget): DnsName {
  if (zone !== undefined) return zone;
  const labels = labelsOf(name);
  const first = labels.findIndex((label) => !label.startsWith('_') && label !== '*');
  return labels.slice(Math.max(first, 0)).join('.') as DnsName;
}

async function check(
  client: Client,
  zoneId: string | undefined,
  providerName: string,
  call: CallContext,
): Promise<readonly CheckItem[]> {
  try {
    const items =
      zoneId === undefined
        ? await checkZones(client, providerName, call)
        : await checkKey(client, zoneId, providerName, call);
    const off = describeSkew(client.skewMs, 60_000);
    if (off === undefined) return items;
    const detail = `${providerName}: the clock of this machine is ${off} AWS's, which allows 5 minutes. Set it (NTP).`;
    return [...items, { what: 'clock', result: 'warning', detail }];
  } catch (error) {
    const detail = isProviderError(error)
      ? error.message
      : `${providerName}: the check broke off (${(error as Error).name}).`;
    const kind = isProviderError(error) ? error.kind : undefined;
    const what = kind === 'auth' ? 'credentials' : kind === 'permission' ? 'zones' : 'reachable';
    return [{ what, result: 'failed', detail }];
  }
}

async function checkZones(client: Client, providerName: string, call: CallContext): Promise<readonly CheckItem[]> {
  const { zones, next } = await client.listZones(undefined, call);
  const count = zones.filter(({ visibility }) => visibility !== 'private').length;
  const seen = `${next === undefined ? count : `${count} or more`} public hosted ${count === 1 ? 'zone' : 'zones'}`;
  return [
    { what: 'credentials', result: 'ok', detail: `${providerName}: AWS accepts the credentials.` },
    count > 0 || next !== undefined
      ? { what: 'zones', result: 'ok', detail: `${providerName}: ${seen} to be seen.` }
      : {
          what: 'zones',
          result: 'warning',
          detail: `${providerName}: no public hosted zone to be seen. Check the account.`,
        },
  ];
}

/** With hostedZoneID the policy may grant no list: what is known of a change that never was proves the credentials. */
async function checkKey(
  client: Client,
  zoneId: string,
  providerName: string,
  call: CallContext,
): Promise<readonly CheckItem[]> {
  const credentials: CheckItem = {
    what: 'credentials',
    result: 'ok',
    detail: `${providerName}: AWS accepts the credentials.`,
  };
  const later = `whether they may write zone ${zoneId}, the first write will tell`;
  try {
    await client.changeState('C00000000000000000000', call);
  } catch (error) {
    if (!isProviderError(error)) throw error;
    if (error.kind === 'permission')
      return [
        credentials,
        {
          what: 'zones',
          result: 'unknown',
          detail: `${providerName}: the state of changes may not be seen (route53:GetChange); ${later}.`,
        },
      ];
    if (error.details.vendorCode !== 'NoSuchChange') throw error;
  }
  return [
    credentials,
    {
      what: 'zones',
      result: 'unknown',
      detail: `${providerName}: the credentials may see the state of changes; ${later}.`,
    },
  ];
}

function endingError(
  ending: Parameters<ZoneWriter['errorOf']>[0],
  name: DnsName,
  zone: Zone,
  providerName: string,
): ProviderError {
  const at = `${providerName}: ${name} in zone ${zone.name} (${zone.id})`;
  switch (ending.kind) {
    case 'conflict':
    case 'unsettled':
      return new ProviderError({
        kind: 'conflict',
        message: `${at} was written by somebody else meanwhile. It is read and written again.`,
      });
    case 'unreadable': {
      const { kind, details } = ending.error;
      if (kind !== 'permission') return ending.error;
      const { vendorCode, requestId } = details;
      return new ProviderError({
        kind,
        message: `${at} holds values besides those that zoneproof wrote, and the credentials may not read them (route53:ListResourceRecordSets on hostedzone/${zone.id}), so nothing was changed. Allow that action ("zoneproof policy routedns --merge" prints the policy), or remove the TXT records at ${toWireName(name)} that nobody needs.`,
        ...(vendorCode !== undefined && { vendorCode }),
        ...(requestId !== undefined && { requestId }),
      });
    }
    case 'refused':
      return ending.reason === 'outside'
        ? new ProviderError({
            kind: 'zone-not-found',
            message: `${providerName}: hosted zone ${zone.id} does not hold ${name} (${ending.text}). Check hostedZoneID.`,
            vendorCode: 'InvalidChangeBatch',
          })
        : new ProviderError({
            kind: 'invalid',
            message: `${at}: no TXT value can be added (${ending.text}). Remove what stands there, or lead _acme-challenge to another name by a CNAME.`,
          });
  }
}
