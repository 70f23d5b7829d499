import { systemRandom } from '@zoneproof/core';
import type { Order } from '../resources/types.ts';
import { OrderReconciler } from './order.ts';
import type { OrderPace } from './order-pace.ts';
import { Problem } from './problem.ts';
import type { Reason } from './reasons.ts';
import type { Services } from './services.ts';

/** A reconciler that has looked at the Order d/www-1 once, and what it remembers of it. */
async function looked(): Promise<{ readonly reconciler: OrderReconciler; readonly pace: OrderPace }> {
  let order = {
    kind: 'Order',
    metadata: { namespace: 'd', name: 'www-1' },
    spec: { dnsNames: ['a.example'], issuerRef: { name: 'ca', kind: 'Issuer' } },
    status: {},
  } as unknown as Order;
  const reconciler = new OrderReconciler({
    store: {
      list: () => [order],
      get: (kind: string) => (kind === 'Order' ? order : undefined),
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        order = { ...order, status: change(order as never) as Order['status'] };
      },
    },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    clock: { now: () => 0 },
    random: systemRandom,
    signal: new AbortController().signal,
    changes: () => 0,
  } as unknown as Services);
  await reconciler.reconcile({ kind: 'Order', namespace: 'd', name: 'www-1' });
  return { reconciler, pace: reconciler.pace('d', 'www-1') as OrderPace };
}

const obstacle = (reason: Reason): OrderPace['obstacle'] => ({
  problem: new Problem(reason, 'in the way', 'retry'),
  tries: 3,
  retryAt: 60_000,
  changes: 0,
});

test('an Order that waits for a slot does not wait out its pause when the slot is free', async () => {
  const { reconciler, pace } = await looked();
  pace.obstacle = obstacle('SlotBusy');
  reconciler.slotFree('d/www-1');
  expect(pace.obstacle).toBeUndefined();
});

test('a free slot is no news to an Order that waits for something else', async () => {
  const { reconciler, pace } = await looked();
  pace.obstacle = obstacle('CARateLimited');
  reconciler.slotFree('d/www-1');
  expect(pace.obstacle).toMatchObject({ retryAt: 60_000 });
});
