import { type CheckItem, isProviderError, type Zone } from '../contract/index.ts';
import type { Location } from '../selfcheck/types.ts';
import type { BoundProvider } from '../writer/index.ts';
import { type CheckId, type Finding, finding, type Verdict } from './finding.ts';

/** What a provider says of itself (promise C1), and nothing is written. */
export async function checkProvider(
  { displayName, provider }: BoundProvider,
  deadlineAt: number,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const items = await provider
    .check({ signal, deadlineAt, permit: async () => undefined })
    .catch((error: unknown): readonly CheckItem[] => {
      const detail = isProviderError(error)
        ? error.message
        : `${displayName}: the check broke inside the provider package`;
      return [{ what: 'reachable', result: 'failed', detail }];
    });
  return items.map(({ what, result, detail }) =>
    finding(
      `provider-${what}` satisfies CheckId,
      { kind: 'provider', name: displayName },
      { result, detail, facts: {} },
    ),
  );
}

/** Where the provider would write, or why it cannot. */
export type RouteObservation = { readonly provider: BoundProvider; readonly zone: Zone } | { readonly error: unknown };

/** Whether the zone that the provider writes to is the one that answers in the DNS. Pure. */
export function judgeProviderZone({ target, zone, servers }: Location, route: RouteObservation): Verdict {
  if ('error' in route) return judgeNoRoute(route.error, target);
  const { provider, zone: found } = route;
  const { nameServers = [] } = found;
  const answering = [...new Set(servers.map(({ name }) => name))];
  const facts = {
    provider: provider.displayName,
    zone: found.name,
    id: found.id,
    answering: zone,
    ...(nameServers.length > 0 && { nameServers, delegatedTo: answering }),
  };
  const title = `${provider.displayName} has zone ${found.name}${found.id === found.name ? '' : ` (${found.id})`}`;
  // Vanity names and hidden primaries look the same, so that this alone is no failure.
  const isElsewhere = nameServers.length > 0 && answering.length > 0;
  if (found.name === zone && isElsewhere && !answering.some((name) => nameServers.includes(name)))
    return {
      result: 'warning',
      detail: `${title} at ${nameServers.join(', ')}, and in the DNS the zone is served by ${answering.join(', ')}: unless those get the zone from there, a value is never seen; delegate the zone to the servers of the provider, or choose the provider of the others`,
      facts,
    };
  // The one "zone" of an acme-dns account is the name itself.
  if (found.name === zone || found.name === target)
    return { result: 'ok', detail: `${title}, the one that answers for ${target}`, facts };
  return {
    result: 'failed',
    detail:
      found.name.length < zone.length
        ? `${title}, but ${zone} is delegated away from it and answers for ${target}: a value written there is never seen; let the provider of ${zone} serve this name`
        : `${title}, but in the DNS ${zone} answers for ${target}: nobody delegates ${found.name}; delegate it, or let the provider of ${zone} serve this name`,
    facts,
  };
}

const outOfReach: readonly string[] = ['unavailable', 'rate-limited', 'conflict', 'aborted'];

function judgeNoRoute(error: unknown, target: string): Verdict {
  if (!(error instanceof Error))
    return { result: 'unknown', detail: `no provider could be asked for ${target}`, facts: {} };
  const kind = isProviderError(error) ? error.kind : error.name;
  const { message } = error;
  const action = isProviderError(error) ? error.details.action : undefined;
  return {
    result: outOfReach.includes(kind) ? 'unknown' : 'failed',
    detail: message,
    facts: { target, kind, ...(action !== undefined && { create: { ...action } }) },
  };
}
