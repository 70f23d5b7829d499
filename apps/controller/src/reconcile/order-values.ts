import { type BoundProvider, type LedgerEntry, ProviderError, type WriteOutcome, type Zone } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus } from '../resources/types.ts';
import { abandonAfterMs, type SeenOrder } from './order-decide.ts';
import { noteObstacle } from './order-obstacle.ts';
import { valueKey } from './order-pace.ts';
import { storeReceipts, syncOf } from './order-sync.ts';
import { Problem, toProblem } from './problem.ts';
import type { Services } from './services.ts';

/** A write of a value, its repeats included, has to end within this time. */
const writeTimeoutMs = 60_000;
/** One a minute. */
const abandonAfterTries = 10;

/** Writes the values of `challenges`: one request a zone, so that apex and wildcard travel together. */
export async function publishValues(
  challenges: readonly ChallengeStatus[],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  const groups = new Map<string, PublishGroup>();
  for (const challenge of challenges) {
    const route = seen.pace.routes.get(challenge.domain as DnsName);
    if (route === undefined) continue;
    const key = `${route.provider.account} ${route.zone.id}`;
    const group = groups.get(key) ?? { provider: route.provider, zone: route.zone, challenges: [] };
    group.challenges.push(challenge);
    groups.set(key, group);
  }
  const written: ChallengeStatus[] = [];
  const problems = await Promise.all(
    [...groups.values()].map(async (group) => {
      const isSlots = group.provider.capabilities.model === 'slots';
      // A value that got lost has no row any more: it queues for one like a new value.
      if (isSlots && isInLedger(group, seen)) await writeGroup(group, 'absent', seen, services);
      const outcomes = await writeGroup(group, 'present', seen, services);
      const found = outcomes.map((outcome, i) => {
        const challenge = group.challenges[i] as ChallengeStatus;
        written.push(...followed(outcome, challenge, group, seen, services));
        return takeOutcome(outcome, challenge, seen, services);
      });
      if (isSlots && outcomes.some(({ status }) => status === 'failed')) await releaseSlots(group, seen, services);
      return found;
    }),
  );
  await storeReceipts(written, seen, services);
  const [problem] = problems.flat().filter((found) => found !== undefined);
  if (problem !== undefined) throw problem;
  seen.pace.looks = 0;
  seen.pace.nextLookAt = 0;
}

interface PublishGroup {
  readonly provider: BoundProvider;
  readonly zone: Zone;
  readonly challenges: ChallengeStatus[];
}

function writeGroup(
  { provider, zone, challenges }: PublishGroup,
  state: 'present' | 'absent',
  { order, pace }: SeenOrder,
  services: Services,
): Promise<readonly WriteOutcome[]> {
  return services.writer.write({
    owner: `${order.metadata.namespace}/${order.metadata.name}`,
    provider,
    zone,
    state,
    records: challenges.map(({ domain, value }) => ({
      name: pace.routes.get(domain as DnsName)?.location.target as DnsName,
      value: value as string,
    })),
    signal: writeSignal(services),
  });
}

/** Where the service gave a receipt: the challenge with it. */
function followed(
  outcome: WriteOutcome,
  challenge: ChallengeStatus,
  { provider, zone }: PublishGroup,
  { pace }: SeenOrder,
  services: Services,
): readonly ChallengeStatus[] {
  const now = services.clock.now();
  const sync = syncOf(outcome, provider, now);
  const target = pace.routes.get(challenge.domain as DnsName)?.location.target;
  if (sync === undefined || target === undefined) return [];
  const place = { provider: provider.block.name, target, zone: zone.name };
  return [{ ...challenge, ...place, step: 'presented', presentedAt: now, sync }];
}

function isInLedger({ challenges }: PublishGroup, { order }: SeenOrder): boolean {
  return challenges.some(({ value }) => order.status.ledger?.some((entry) => entry.value === value));
}

/**
 * What could not be written must not keep slots: after a crash two Orders may each hold one with a value of which
 * nobody knows whether it was written, and so keep each other from writing. All values of the Order go together again.
 */
async function releaseSlots(group: PublishGroup, seen: SeenOrder, services: Services): Promise<void> {
  for (const { domain, value } of group.challenges) seen.pace.publishedAt.delete(valueKey(domain, value as string));
  await writeGroup(group, 'absent', seen, services);
}

function takeOutcome(
  outcome: WriteOutcome,
  challenge: ChallengeStatus,
  seen: SeenOrder,
  services: Services,
): Problem | undefined {
  const now = services.clock.now();
  switch (outcome.status) {
    case 'done':
      seen.pace.publishedAt.set(valueKey(challenge.domain, challenge.value as string), now);
      return undefined;
    case 'waiting':
      return new Problem('SlotBusy', outcome.reason, 'retry');
    case 'failed': {
      const { reason, message, cure, retryAt } = toProblem(tooLong(outcome.error, services), now);
      return new Problem(reason, message, cure, outcome.retryAt ?? retryAt, outcome.error);
    }
  }
}

/** Starts taking values out of their zones; nobody waits for it, and the Order is looked at again at the end. */
export async function removeValues(
  entries: readonly LedgerEntry[],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  for (const { id } of entries) seen.pace.removing.add(id);
  services.inBackground(`Order/${namespace}/${name}`, async () => {
    try {
      await removeNow(entries, seen, services);
      seen.pace.removals = 0;
    } catch (error) {
      if (services.signal.aborted) return;
      const problem = toProblem(error, services.clock.now());
      await noteObstacle({ do: 'remove', entries }, problem, seen, services);
      seen.pace.removals++;
      await abandonWhenHopeless(entries, problem, seen, services);
    } finally {
      for (const { id } of entries) seen.pace.removing.delete(id);
    }
  });
}

async function removeNow(entries: readonly LedgerEntry[], seen: SeenOrder, services: Services): Promise<void> {
  const groups = new Map<string, LedgerEntry[]>();
  for (const entry of entries) {
    const key = `${entry.account} ${entry.zone.id} ${entry.provider.issuer} ${entry.provider.name}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const failures = await Promise.all(
    [...groups.values()].map(async (group) => {
      const [first] = group as [LedgerEntry];
      const outcomes = await services.writer.write({
        owner: `${seen.order.metadata.namespace}/${seen.order.metadata.name}`,
        provider: await services.sessions.providerOf(first),
        zone: first.zone,
        state: 'absent',
        records: group,
        signal: writeSignal(services),
      });
      const failed = outcomes.find((outcome) => outcome.status === 'failed');
      return failed?.status === 'failed' ? tooLong(failed.error, services) : undefined;
    }),
  );
  const failure = failures.find((error) => error !== undefined);
  if (failure !== undefined) throw failure;
}

/**
 * A deleted Order must not be held for ever by credentials that are gone: after ten minutes without a way to remove
 * its values it lets go of them, loudly.
 */
async function abandonWhenHopeless(
  entries: readonly LedgerEntry[],
  problem: Problem,
  { order, pace }: SeenOrder,
  services: Services,
): Promise<void> {
  const { namespace, name, deletedAt } = order.metadata;
  if (deletedAt === undefined || problem.cure !== 'change') return;
  // A process that was just started has not tried for long, however long ago the Order was deleted.
  if (services.clock.now() - deletedAt < abandonAfterMs || pace.removals < abandonAfterTries) return;
  const open = new Set(services.store.get('Order', namespace, name)?.status.ledger?.map(({ id }) => id));
  const unremoved = entries.filter(({ id }) => open.has(id));
  const left = unremoved.map((entry) => `${entry.name} TXT "${entry.value}"`).join(', ');
  services.report({
    level: 'error',
    kind: 'Order',
    namespace,
    name,
    reason: 'CleanUpAbandoned',
    message: `These values could not be removed and stay behind; remove them by hand: ${left}. ${problem.message}`,
  });
  await services.ledger.settle(unremoved.map(({ id }) => id));
}

/** Nobody stopped the write but its own deadline. */
function tooLong(error: ProviderError, services: Services): ProviderError {
  if (error.kind !== 'aborted' || services.signal.aborted) return error;
  const message = `${error.message} after ${writeTimeoutMs / 1_000} s. Check that the DNS service answers.`;
  return new ProviderError({ kind: 'unavailable', message, cause: error });
}

function writeSignal(services: Services): AbortSignal {
  return AbortSignal.any([services.signal, AbortSignal.timeout(writeTimeoutMs)]);
}
