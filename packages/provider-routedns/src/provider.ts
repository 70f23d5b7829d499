import {
  type CallContext,
  type DnsProvider,
  isProviderError,
  type ProviderHost,
  type RecordTarget,
  type Zone,
} from '@zoneproof/core';
import { type DnsName, labelsOf } from '@zoneproof/dns';
import { applyTogether, type ZoneWriter } from './apply.ts';
import { check } from './check.ts';
import { type Client, createClient, type ZonePlace } from './client.ts';
import { bareZoneId, type RoutednsConfig } from './config.ts';
import { endingError } from './ending-error.ts';
import { readSets } from './zone-sets.ts';

const receiptKind = 'route53-change';

/** Publishes values in hosted zones. How it writes, and what of that each right is for: see {@link climb}. */
export function createRoutednsProvider(config: RoutednsConfig, host: ProviderHost): DnsProvider {
  const { providerName } = host;
  const client = createClient(config, host);
  const zoneId = config.hostedZoneID === undefined ? undefined : bareZoneId(config.hostedZoneID);
  let warned = false;

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
        if (kind === 'permission' && !warned) {
          warned = true;
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
