import type { BoundProvider, WriteOutcome, Zone } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus } from '../resources/types.ts';
import type { SeenOrder } from './order-decide.ts';
import { clearObstacle, noteObstacle } from './order-obstacle.ts';
import { valueKey } from './order-pace.ts';
import { storeReceipts, syncOf } from './order-sync.ts';
import { tooLong, writeSignal } from './order-values.ts';
import { Problem, toProblem } from './problem.ts';
import type { Services } from './services.ts';

/**
 * Starts writing values; no worker waits for it, so that a slow or throttled account holds up nobody, and the Order is
 * looked at again at the end.
 */
export async function startPublishing(
  challenges: readonly ChallengeStatus[],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  const { pace, order } = seen;
  const { obstacle } = pace;
  const keys = challenges.map(({ domain, value = '' }) => valueKey(domain, value));
  for (const key of keys) pace.publishing.add(key);
  services.inBackground(`Order/${order.metadata.namespace}/${order.metadata.name}`, async () => {
    try {
      await publishValues(challenges, seen, services).finally(() => {
        for (const key of keys) pace.publishing.delete(key);
      });
      await clearObstacle([{ do: 'publish', challenges }], obstacle, seen, services);
    } catch (error) {
      if (services.signal.aborted) return;
      await noteObstacle({ do: 'publish', challenges }, toProblem(error, services.clock.now()), seen, services);
    }
  });
}

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
    const group = groups.get(key) ?? { provider: route.provider, zone: route.zone, values: [] };
    group.values.push({ challenge, target: route.location.target });
    groups.set(key, group);
  }
  const { changes } = seen.pace;
  const written: ChallengeStatus[] = [];
  const problems = await Promise.all(
    [...groups.values()].map(async (group) => {
      const isSlots = group.provider.capabilities.model === 'slots';
      // A value that got lost has no row any more: it queues for one like a new value.
      if (isSlots && isInLedger(group, seen)) await writeGroup(group, 'absent', seen, services);
      const outcomes = await writeGroup(group, 'present', seen, services);
      const found = outcomes.map((outcome, i) => {
        const value = group.values[i] as PublishedValue;
        written.push(...followed(outcome, value, group, services));
        return takeOutcome(outcome, value.challenge, group, seen, services);
      });
      if (isSlots && outcomes.some(({ status }) => status === 'failed')) await releaseSlots(group, seen, services);
      return found;
    }),
  );
  await storeReceipts(written, seen, services);
  // Somebody changed something meanwhile, so that the values may belong elsewhere: they are published again.
  if (seen.pace.changes !== changes)
    for (const { domain, value = '' } of challenges) seen.pace.publishedAt.delete(valueKey(domain, value));
  const [problem] = problems.flat().filter((found) => found !== undefined);
  if (problem !== undefined) throw problem;
  seen.pace.lookAroundAt = 0;
  seen.pace.nextLookAt = 0;
}

interface PublishGroup {
  readonly provider: BoundProvider;
  readonly zone: Zone;
  readonly values: PublishedValue[];
}

interface PublishedValue {
  readonly challenge: ChallengeStatus;
  /** The name it goes to: routes may be forgotten while it is written. */
  readonly target: DnsName;
}

function writeGroup(
  { provider, zone, values }: PublishGroup,
  state: 'present' | 'absent',
  { order }: SeenOrder,
  services: Services,
): Promise<readonly WriteOutcome[]> {
  return services.writer.write({
    owner: `${order.metadata.namespace}/${order.metadata.name}`,
    provider,
    zone,
    state,
    records: values.map(({ challenge, target }) => ({ name: target, value: challenge.value as string })),
    signal: writeSignal(services),
  });
}

/** Where the service gave a receipt: the challenge with it. */
function followed(
  outcome: WriteOutcome,
  { challenge, target }: PublishedValue,
  { provider, zone }: PublishGroup,
  services: Services,
): readonly ChallengeStatus[] {
  const now = services.clock.now();
  const sync = syncOf(outcome, provider, now);
  if (sync === undefined) return [];
  const place = { provider: provider.block.name, target, zone: zone.name };
  return [{ ...challenge, ...place, step: 'presented', presentedAt: now, sync }];
}

function isInLedger({ values }: PublishGroup, { order }: SeenOrder): boolean {
  return values.some(({ challenge }) => order.status.ledger?.some((entry) => entry.value === challenge.value));
}

/**
 * What could not be written must not keep slots: after a crash two Orders may each hold one with a value of which
 * nobody knows whether it was written, and so keep each other from writing. All values of the Order go together again.
 */
async function releaseSlots(group: PublishGroup, seen: SeenOrder, services: Services): Promise<void> {
  for (const { challenge } of group.values)
    seen.pace.publishedAt.delete(valueKey(challenge.domain, challenge.value as string));
  await writeGroup(group, 'absent', seen, services);
}

function takeOutcome(
  outcome: WriteOutcome,
  challenge: ChallengeStatus,
  { provider }: PublishGroup,
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
      if (outcome.error.kind === 'zone-not-found') {
        // It may have been made anew, with another id.
        seen.pace.routes.delete(challenge.domain as DnsName);
        services.sessions.forgetZones(provider);
      }
      const { reason, message, cure, retryAt } = toProblem(tooLong(outcome.error, services), now);
      return new Problem(reason, message, cure, outcome.retryAt ?? retryAt, outcome.error);
    }
  }
}
