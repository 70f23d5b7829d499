import { type DnsName, labelsOf } from '@zoneproof/dns';
import { maxNameservers, type Nameservers, shown } from './reply.ts';
import { addressesIn, isOffLimits, type Resolvers } from './resolvers.ts';
import { type AuthoritativeServer, LocateError } from './types.ts';

/** A zone and every address of its authoritative servers. */
export interface ZoneServers {
  readonly zone: DnsName;
  readonly servers: readonly AuthoritativeServer[];
  /** NS names for which no address is known. */
  readonly unresolved: readonly DnsName[];
}

/**
 * Looks up what is missing of the servers' addresses: both families, at the listed servers.
 *
 * @param leaf the name that no listed server may be asked for
 * @throws LocateError `unreachable` when not one address is known
 */
export async function withAddresses(
  zone: DnsName,
  nameservers: Nameservers,
  leaf: DnsName,
  resolvers: Resolvers,
  signal: AbortSignal,
): Promise<ZoneServers> {
  const hosts = [...nameservers].filter(([host]) => labelsOf(host).length > 0).slice(0, maxNameservers);
  const found = await Promise.all(
    hosts.map(async ([name, known]) => {
      const families = await Promise.all(
        (['A', 'AAAA'] as const).map(async (type) => {
          const given = known.filter((address) => address.includes(':') === (type === 'AAAA'));
          if (given.length > 0 || isOffLimits(name, leaf)) return given;
          return addressesIn(await resolvers.ask({ name, type }, signal).catch(unlessAborted(signal)), type);
        }),
      );
      return { name, addresses: families.flat() };
    }),
  );
  const servers = new Map<string, AuthoritativeServer>();
  for (const { name, addresses } of found)
    for (const address of addresses)
      if (!servers.has(address) && servers.size < maxAddresses) servers.set(address, { name, address });
  if (servers.size === 0) {
    const names = hosts.map(([host]) => host).join(', ') || 'none named';
    throw new LocateError(
      'unreachable',
      `no address is known for the name servers of ${shown(zone)} (${names}), asked at ${resolvers.text}; ` +
        'check their A and AAAA records',
    );
  }
  const unresolved = found.filter(({ addresses }) => addresses.length === 0).map(({ name }) => name);
  return { zone, servers: [...servers.values()], unresolved };
}

/** The name servers of both lists, addresses joined. */
export function mergeNameservers(one: Nameservers, other: Nameservers): Nameservers {
  const merged = new Map(one);
  for (const [host, addresses] of other) merged.set(host, [...new Set([...(merged.get(host) ?? []), ...addresses])]);
  return merged;
}

export const authoritativePort = 53;

const maxAddresses = 32;

function unlessAborted(signal: AbortSignal) {
  return (): string => {
    signal.throwIfAborted();
    return 'no answer';
  };
}
