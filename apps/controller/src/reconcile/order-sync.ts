import type { BoundProvider, SyncLook, WriteOutcome } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, ChallengeSync } from '../resources/types.ts';
import { news } from '../store/index.ts';
import { earliest, type SeenOrder } from './order-decide.ts';
import { valueKey } from './order-pace.ts';
import { waitingFor, withChallenges } from './order-status.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** No service publishes at once, so it is not asked at once. */
const firstLookMs = 1_000;
/**
 * Route 53 propagates "within 60 seconds" as a rule. A signal that takes longer than this is not waited for: the DNS
 * may have the value all the same, and the self check has to find it there in any case.
 */
const longestMs = 300_000;

/** What follows the change that has just brought a value into its zone. Pure. */
export function syncOf(
  outcome: WriteOutcome,
  { account, capabilities }: BoundProvider,
  now: number,
): ChallengeSync | undefined {
  if (!capabilities.sync || outcome.status !== 'done' || outcome.receipt === undefined) return undefined;
  return { account, receipt: outcome.receipt, state: 'pending', since: now };
}

/** Stores the receipts of values that were written, so that a restart goes on with them. */
export async function storeReceipts(
  written: readonly ChallengeStatus[],
  { order, pace }: SeenOrder,
  services: Services,
): Promise<void> {
  if (written.length === 0) return;
  const { namespace, name } = order.metadata;
  const now = services.clock.now();
  for (const { domain, value = '' } of written) pace.syncEnds.delete(valueKey(domain, value));
  pace.nextSyncAt = now + firstLookMs;
  const routes = written.flatMap(({ domain }) => pace.routes.get(domain as DnsName) ?? []);
  const names = [...new Set(routes.map(({ provider }) => provider.displayName))];
  const message = `waiting for ${names.join(' and ')} to publish its change`;
  services.report({ level: 'info', kind: 'Order', namespace, name, reason: 'SelfCheckWaiting', message });
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) =>
        waitingFor(
          current,
          withChallenges(current.status, written),
          { reason: 'SelfCheckWaiting', message, until: pace.nextSyncAt },
          now,
        ),
      news,
    ),
  );
}

/**
 * One look at the providers' own propagation signals. A value whose change is published, or of which that will not be
 * found out, is looked for in the DNS next. Nothing is stored: after a restart it is asked again.
 */
export async function followSync(
  challenges: readonly ChallengeStatus[],
  { order, pace }: SeenOrder,
  services: Services,
): Promise<void> {
  const { namespace, name } = order.metadata;
  const late = new Set<string>();
  let nextSyncAt: number | undefined;
  await Promise.all(
    challenges.map(async ({ domain, value = '', sync }) => {
      const route = pace.routes.get(domain as DnsName);
      if (route === undefined || sync === undefined) return;
      const lastAt = sync.since + longestMs;
      const isLate = services.clock.now() >= lastAt;
      const look = isLate ? tooLate(route) : await lookAt(route, sync, services);
      if (isLate && look.state === 'unknown') late.add(look.reason);
      if (look.state === 'pending') {
        nextSyncAt = earliest(nextSyncAt, Math.min(look.nextLookAt, lastAt));
        return;
      }
      const key = valueKey(domain, value);
      pace.syncEnds.set(key, look);
      // The time in which the value may be missing in the DNS begins now.
      pace.publishedAt.set(key, services.clock.now());
      if (look.state === 'synced') pace.inherited.delete(key);
      pace.nextLookAt = 0;
    }),
  );
  pace.nextSyncAt = nextSyncAt ?? 0;
  for (const message of late)
    services.report({ level: 'warn', kind: 'Order', namespace, name, reason: 'SelfCheckWaiting', message });
}

/** What `status` shows of the signal, with what was seen since it was stored. */
export function seenSync(
  { domain, value = '', sync }: ChallengeStatus,
  { pace }: SeenOrder,
): ChallengeSync | undefined {
  const end = pace.syncEnds.get(valueKey(domain, value));
  return sync === undefined || end === undefined ? sync : { ...sync, ...end };
}

async function lookAt({ provider }: Route, { account, receipt }: ChallengeSync, services: Services): Promise<SyncLook> {
  if (provider.account === account) return services.sync.look(provider, receipt);
  return { state: 'unknown', reason: `it was written through another account than ${provider.displayName} has now` };
}

function tooLate({ provider }: Route): SyncLook {
  const reason = `${provider.displayName} has not said within ${longestMs / 1_000} s that its change is published; the DNS alone is asked now`;
  return { state: 'unknown', reason };
}
