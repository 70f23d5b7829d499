import { type AnyDnsServer, formatServer } from '@zoneproof/dns';
import type { Who } from './finding.ts';
import type { Location } from './types.ts';
import { authoritativePort } from './zone-servers.ts';

/** A server that values are looked for at. */
export interface AskedServer {
  readonly who: Who;
  readonly to: AnyDnsServer;
  /** A resolver, or whatever is listed: asked to recurse, and authority is not wanted of it. */
  readonly isListed: boolean;
}

/** Whom to ask for values at this location. */
export function askedServers({ servers, listed }: Pick<Location, 'servers' | 'listed'>): readonly AskedServer[] {
  if (listed !== undefined) return listed.servers.map(listedServer);
  return servers.map(({ name, address, port = authoritativePort }) => ({
    who: { server: name, address },
    to: { address, port },
    isListed: false,
  }));
}

export function listedServer(to: AnyDnsServer): AskedServer {
  const address = to.kind === undefined ? to.address : to.kind === 'tls' ? to.host : new URL(to.url).host;
  return { who: { server: formatServer(to), address }, to, isListed: true };
}
