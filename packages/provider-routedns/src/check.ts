import { type CallContext, type CheckItem, checkFailure, describeOffset, isProviderError } from '@zoneproof/core';
import type { Client } from './client.ts';

/** C1: reads only, and never throws. */
export async function check(
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
    const { clockOffset = 0 } = client;
    if (Math.abs(clockOffset) < 60_000) return items;
    const detail = `${providerName}: the clock of this machine is ${describeOffset(clockOffset)} AWS's, which allows 5 minutes. Set it (NTP).`;
    return [...items, { what: 'clock', result: 'warning', detail }];
  } catch (error) {
    const kind = isProviderError(error) ? error.kind : undefined;
    const what = kind === 'auth' ? 'credentials' : kind === 'permission' ? 'zones' : 'reachable';
    return [{ what, ...checkFailure(error, providerName) }];
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
