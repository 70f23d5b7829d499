import { type CallContext, type CheckItem, checkFailure } from '@zoneproof/core';
import { formatServer, type TsigKey, toDnsName } from '@zoneproof/dns';
import type { Client } from './client.ts';
import { type Peer, refusalError, skewText } from './errors.ts';

// RFC 6761 6.4: no server has a zone here. An update of it, without any record, changes nothing anywhere; and since a
// server looks at the signature first (RFC 8945 5.2), its signed NOTAUTH proves the key.
const noZone = toDnsName('zoneproof-check.invalid');
const test = 'an empty update that tests the key';

/** Proves the server and the key, one request each, without writing. Never throws. */
export async function checkServer(
  client: Client,
  currentKey: () => Promise<TsigKey | undefined>,
  peer: Peer,
  call: CallContext,
): Promise<readonly CheckItem[]> {
  const at = `${peer.providerName}: ${formatServer(peer.server)}`;
  try {
    await client.ask(toDnsName(''), 'SOA', call);
  } catch (error) {
    return [{ what: 'reachable', ...checkFailure(error, peer.providerName) }];
  }
  const reachable: CheckItem = { what: 'reachable', result: 'ok', detail: `${at} answers queries.` };
  try {
    const key = await currentKey();
    return [reachable, ...(key ? await checkKey(client, key, { ...peer, key }, call) : [unsigned(at)])];
  } catch (error) {
    return [reachable, { what: 'credentials', ...checkFailure(error, peer.providerName) }];
  }
}

async function checkKey(client: Client, key: TsigKey, peer: Peer, call: CallContext): Promise<readonly CheckItem[]> {
  const at = `${peer.providerName}: ${formatServer(peer.server)}`;
  const reply = await client.update(noZone, [], key, call);
  const items: CheckItem[] = [];
  if (reply.tsig?.status === 'verified' && reply.tsig.error === 0) {
    items.push({ what: 'credentials', result: 'ok', detail: `${at} accepts the signature of key "${key.name}".` });
  } else if (reply.tsig?.status === 'unsigned' || reply.tsig?.status === 'verified') {
    items.push({ what: 'credentials', ...checkFailure(refusalError(reply, noZone, peer, test), peer.providerName) });
  } else {
    const detail = `${at} answers ${reply.rcode} to ${test}, without a signature that proves it; the first real update will tell.`;
    items.push({ what: 'credentials', result: 'unknown', detail });
  }
  if (reply.clockSkewSeconds !== undefined)
    items.push({
      what: 'clock',
      result: 'warning',
      detail: `${peer.providerName}: ${skewText(reply.clockSkewSeconds, peer.server)}. Set the clocks.`,
    });
  return items;
}

function unsigned(at: string): CheckItem {
  const detail = `${at}: updates are not signed (no TSIG key in the Issuer); whether it takes them from this address, the first one will tell.`;
  return { what: 'credentials', result: 'unknown', detail };
}
