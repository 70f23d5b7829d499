import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Clock } from '@zoneproof/core';

const lookupAll = promisify(lookup) as (host: string, options: { readonly all: true }) => Promise<LookupAddress[]>;

/** How long what the DNS said of the API server's name is taken for true. */
const maxAgeMs = 60_000;

export interface ApiServerOptions {
  /** The API server as the controller reaches it. */
  readonly server: URL;
  /** `KUBERNETES_SERVICE_HOST`: where pods reach it. */
  readonly serviceHost?: string | undefined;
  readonly clock: Clock;
  /** Default: the system's. */
  readonly lookupHost?: (host: string) => Promise<readonly string[]>;
}

/**
 * Names and addresses of the API server. A name is looked up now, and again when the answer is a minute old and somebody asks;
 * what it stood for before stays in the set, since the server may be there still. A name that nobody knows stands
 * for nothing: the controller itself could not reach the server by it.
 */
export async function apiServerAddresses(options: ApiServerOptions): Promise<() => ReadonlySet<string>> {
  const { clock, lookupHost = systemLookup } = options;
  const hosts = [options.server.hostname, options.serviceHost ?? ''].filter((host) => host !== '').map(canonical);
  const known = new Set(hosts);
  const names = hosts.filter((host) => isIP(host) === 0);
  let readAt = clock.now();
  const read = async (): Promise<void> => {
    readAt = clock.now();
    for (const name of names)
      for (const address of await lookupHost(name).catch(() => [])) known.add(canonical(address));
  };
  await read();
  return () => {
    if (names.length > 0 && clock.now() - readAt >= maxAgeMs) void read();
    return known;
  };
}

/** As the address rule is given addresses and names. */
function canonical(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare.toLowerCase().replace(/\.$/, '');
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await lookupAll(host, { all: true })).map(({ address }) => address);
}
