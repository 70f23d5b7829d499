import { news } from '../store/index.ts';
import { backoffMs } from './backoff.ts';
import type { OrderStep, SeenOrder } from './order-decide.ts';
import type { OrderPace } from './order-pace.ts';
import { finished, goingOn, waitingFor } from './order-status.ts';
import type { Problem } from './problem.ts';
import { fraction, type Services } from './services.ts';

/** What waits for a person is looked at again at this pace: a DNS record or a mounted file changes unseen. */
const changeLookMs = 60_000;

/**
 * Stores and reports what stood in the way of a step, and sets the time of the next try: 1 s doubling to 5 minutes,
 * never before the time the other side named.
 */
export async function noteObstacle(
  step: OrderStep,
  problem: Problem,
  seen: SeenOrder,
  services: Services,
): Promise<number | undefined> {
  const { pace, order } = seen;
  const { namespace, name } = order.metadata;
  const now = services.clock.now();
  if (problem.cure === 'final') {
    await failOrder(problem, seen, services);
    return undefined;
  }
  const tries = 1 + (step.do === 'remove' ? pace.removals : (pace.obstacle?.tries ?? 0));
  const pauseMs =
    problem.cure === 'change' ? changeLookMs : backoffMs(tries, 1_000, 300_000, fraction(services.random));
  const retryAt = Math.max(now + pauseMs, problem.retryAt ?? 0);
  const known = step.do === 'remove' ? order.status.cleanUp : order.status.waiting;
  if (problem.message !== known?.message)
    services.report({
      level: 'warn',
      kind: 'Order',
      namespace,
      name,
      reason: problem.reason,
      message: problem.message,
      retryAt,
    });
  const told = { reason: problem.reason, message: problem.message, until: retryAt };
  if (step.do === 'remove') pace.removalObstacle = { retryAt, changes: seen.changes };
  else pace.obstacle = { problem, tries, retryAt, changes: seen.changes };
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) => {
        if (step.do === 'remove') return { ...current.status, cleanUp: told };
        return current.status.result === undefined ? waitingFor(current, current.status, told, now) : current.status;
      },
      news,
    ),
  );
  return retryAt;
}

/**
 * Nothing stands in the way any more once a round of steps succeeded as a whole. `obstacle` is what stood there when
 * they began: a write beside them may have met another one.
 */
export async function clearObstacle(
  steps: readonly OrderStep[],
  obstacle: OrderPace['obstacle'],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  if (steps.every((step) => step.do === 'remove' || step.do === 'wait')) return;
  if (seen.pace.publishing.size > 0 || seen.pace.obstacle !== obstacle) return;
  seen.pace.obstacle = undefined;
  const { waiting, result } = seen.order.status;
  // The self check says itself what it waits for.
  if (waiting === undefined || waiting.reason === 'SelfCheckWaiting' || result !== undefined) return;
  const { namespace, name } = seen.order.metadata;
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) =>
        current.status.waiting?.message === waiting.message && current.status.result === undefined
          ? goingOn(current, current.status, 'The order goes on.', services.clock.now())
          : current.status,
      news,
    ),
  );
}

/** The Issuer is what is missing: a change of it will wake the Order. */
export async function waitForIssuer(problem: Problem, { order }: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = order.metadata;
  const { reason, message } = problem;
  services.report({ level: 'warn', kind: 'Order', namespace, name, reason, message });
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) => waitingFor(current, current.status, { reason, message }, services.clock.now()),
      news,
    ),
  );
}

/** Ends the Order; its values are removed and the Certificate decides when to begin another. */
export async function failOrder(problem: Problem, { order }: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = order.metadata;
  const { reason, message, retryAt } = problem;
  const now = services.clock.now();
  services.report({ level: 'error', kind: 'Order', namespace, name, reason, message });
  await services.run('order.store-status', () =>
    services.store.updateStatus('Order', namespace, name, (current) => ({
      ...finished(current, current.status, 'failed', reason, message, now),
      failure: { reason, message, ...(retryAt === undefined ? {} : { retryAt }) },
    })),
  );
}
