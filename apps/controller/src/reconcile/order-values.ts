import { type LedgerEntry, ProviderError } from '@zoneproof/core';
import { abandonAfterMs, type SeenOrder } from './order-decide.ts';
import { noteObstacle } from './order-obstacle.ts';
import { type Problem, toProblem } from './problem.ts';
import type { Services } from './services.ts';

/** A write of a value, its repeats included, has to end within this time. */
const writeTimeoutMs = 60_000;
/** One a minute. */
const abandonAfterTries = 10;

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
export function tooLong(error: ProviderError, services: Services): ProviderError {
  if (error.kind !== 'aborted' || services.signal.aborted) return error;
  const message = `${error.message} after ${writeTimeoutMs / 1_000} s. Check that the DNS service answers.`;
  return new ProviderError({ kind: 'unavailable', message, cause: error });
}

/** Ends a write with the controller or by its own deadline. */
export function writeSignal(services: Services): AbortSignal {
  return AbortSignal.any([services.signal, AbortSignal.timeout(writeTimeoutMs)]);
}
