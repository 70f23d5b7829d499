import type { Clock } from '@zoneproof/core';
import type { Order } from '../resources/types.ts';
import type { Store } from '../store/index.ts';
import type { Instruments } from './instruments.ts';
import { blockKey } from './stored-objects.ts';

/**
 * Counts Orders at the moment when they end, with how long they and their self checks took.
 *
 * @returns what begins to follow a store; that returns what ends it
 */
export function createOrderEnds(instruments: Instruments, clock: Clock): (store: Store) => () => void {
  const completed = instruments.counter('zoneproof_orders_completed_total');
  const duration = instruments.histogram('zoneproof_order_duration_seconds');
  const delay = instruments.histogram('zoneproof_self_check_delay_seconds');

  function note({ metadata, spec, status }: Order, store: Store): void {
    const { result } = status;
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    if (result === undefined || ready === undefined) return;
    completed.inc({ result, reason: ready.reason });
    duration.observe({ result }, Math.max(0, clock.now() - metadata.createdAt) / 1_000);
    const { kind, name } = spec.issuerRef;
    const issuer = store.get(kind, kind === 'ClusterIssuer' ? '' : metadata.namespace, name);
    if (issuer === undefined) return;
    for (const { provider = '', presentedAt, evidence } of status.challenges ?? []) {
      const key = blockKey(issuer.spec.acme.dns01.providers, provider);
      if (key === undefined || presentedAt === undefined || evidence?.verdict !== 'visible') continue;
      delay.observe({ provider: key }, Math.max(0, evidence.at - presentedAt) / 1_000);
    }
  }

  return (store) => {
    const ended = new Set<string>();
    for (const { metadata, status } of store.list('Order'))
      if (status.result !== undefined) ended.add(`${metadata.namespace}/${metadata.name}`);
    return store.watch(({ kind, namespace, name }) => {
      if (kind !== 'Order') return;
      const path = `${namespace}/${name}`;
      const order = store.get('Order', namespace, name);
      if (order === undefined) ended.delete(path);
      else if (order.status.result !== undefined && !ended.has(path)) {
        ended.add(path);
        note(order, store);
      }
    });
  };
}
