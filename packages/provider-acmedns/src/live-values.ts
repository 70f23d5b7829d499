import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { CallContext, ProviderHost } from '@zoneproof/core';
import { type DnsName, type DnsServer, exchange, txtValue } from '@zoneproof/dns';
import { type AcmednsConfig, nameserverOf } from './config.ts';

// Two datagrams and one connection: where a firewall swallows them, an update waits this long three times.
const timeoutMs = 1000;
const lookupTimeoutMs = 5000;
const maxAddresses = 4;

/** What acme-dns publishes at `name` now; undefined when no authoritative answer is to be had from here. */
export type ReadLiveValues = (name: DnsName, call: CallContext) => Promise<readonly string[] | undefined>;

/**
 * Asks acme-dns itself: `nameserver`, or port 53 of the addresses that the API's host has. Never a resolver, whose
 * memory of "no such name" would outlive the value.
 */
export function createLiveValues(config: AcmednsConfig, host: ProviderHost): ReadLiveValues {
  const apiHost = new URL(config.host).hostname.replace(/^\[|\]$/g, '');
  const configured = nameserverOf(config);

  async function servers(signal: AbortSignal): Promise<readonly DnsServer[]> {
    if (configured) return [configured];
    const addresses = isIP(apiHost) ? [apiHost] : await addressesOf(apiHost, signal);
    return addresses.slice(0, maxAddresses).map((address) => ({ address, port: 53 }));
  }

  async function ask(server: DnsServer, name: DnsName, call: CallContext): Promise<readonly string[]> {
    await call.permit('dns');
    const { message } = await exchange({ name, type: 'TXT' }, server, {
      transport: host.dns,
      random: host.random,
      signal: call.signal,
      rd: false,
      timeoutMs,
    });
    if (!message.aa || (message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN'))
      throw new Error(`${message.rcode}, not authoritative`);
    return message.answers.flatMap((record) =>
      record.type === 'TXT' && record.name === name ? [txtValue(record)] : [],
    );
  }

  return async (name, call) => {
    try {
      return await Promise.any((await servers(call.signal)).map((server) => ask(server, name, call)));
    } catch {
      return undefined; // why does not matter: the caller decides by what it cannot see
    }
  };
}

/** The system's own lookup, as the HTTP request makes it too. It cannot be stopped, only left behind. */
function addressesOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(lookupTimeoutMs)]);
  return new Promise((resolve, reject) => {
    stop.throwIfAborted();
    stop.addEventListener('abort', () => reject(stop.reason as Error), { once: true });
    lookup(name, { all: true }).then((found) => resolve(found.map(({ address }) => address)), reject);
  });
}
