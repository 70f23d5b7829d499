import type { AnyDnsServer } from '@zoneproof/dns';
import type { Clock } from '../contract/index.ts';
import { type LookupHost, type NameserverEntry, resolveNameservers } from './nameserver-list.ts';
import { readResolvConf } from './resolv-conf.ts';
import { createSharedCache } from './shared-cache.ts';

/**
 * Where the self check starts: the option `resolvers` of `createSelfCheck`. Plain servers are asked over UDP and TCP,
 * encrypted ones (`kind`) over TLS or HTTPS by the transport's `encrypted`.
 */
export type StartingServers = () => readonly AnyDnsServer[] | Promise<readonly AnyDnsServer[]>;

/** The servers of the resolver file as it is at each call. The function throws the file's problem when it lists none. */
export function systemServers(path?: string): StartingServers {
  return () => {
    const { servers, problem } = readResolvConf(path);
    if (servers.length === 0 && problem !== undefined) throw new Error(problem);
    return servers;
  };
}

/** The servers of `--dns01-self-check-nameservers`; host names are looked up again every 30 s. */
export function listedServers(
  entries: readonly NameserverEntry[],
  clock: Clock,
  lookupHost?: LookupHost,
): StartingServers {
  const cache = createSharedCache<readonly AnyDnsServer[]>(clock, 1);
  const never = new AbortController().signal;
  return () =>
    cache.load('', never, async () => ({ value: await resolveNameservers(entries, lookupHost), ttlMs: 30_000 }));
}
