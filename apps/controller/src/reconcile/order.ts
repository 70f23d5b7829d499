import type { Issuer, ObjectKey, Order } from '../resources/types.ts';
import { accountOf } from './issuer-decide.ts';
import { actOnOrder } from './order-act.ts';
import { decideOrder, earliest, type SeenOrder } from './order-decide.ts';
import { inheritValues } from './order-lost.ts';
import { clearObstacle, noteObstacle } from './order-obstacle.ts';
import { endWatches, newPace, type OrderPace } from './order-pace.ts';
import { Problem, toProblem } from './problem.ts';
import type { Services } from './services.ts';

/** Brings Orders from the wish for a certificate to the downloaded chain, and their values out of the zones again. */
export class OrderReconciler {
  readonly #services: Services;
  /** By path; of the Order with this uid. */
  readonly #paces = new Map<string, { readonly uid: string; readonly pace: OrderPace }>();
  readonly #claims = new Map<string, string>();

  constructor(services: Services) {
    this.#services = services;
    for (const { metadata, status } of services.store.list('Order'))
      if (status.acme !== undefined && status.result === undefined)
        this.#claims.set(status.acme.orderURL, `${metadata.namespace}/${metadata.name}`);
  }

  /** Works until the Order has to wait; tells until when. */
  async reconcile(key: ObjectKey): Promise<number | undefined> {
    for (;;) {
      if (this.#services.signal.aborted) return undefined;
      const seen = this.#observe(key);
      if (seen === undefined) {
        const path = `${key.namespace}/${key.name}`;
        this.#forget(path);
        for (const [url, holder] of this.#claims) if (holder === path) this.#claims.delete(url);
        return undefined;
      }
      const now = this.#services.clock.now();
      const plan = decideOrder(seen, now);
      if (plan.steps.length === 0) return plan.wakeAt;
      const { obstacle } = seen.pace;
      const problems: (number | undefined)[] = [];
      const steps = await Promise.allSettled(
        plan.steps.map(async (step) => {
          try {
            await actOnOrder(step, seen, this.#services);
          } catch (error) {
            if (this.#services.signal.aborted) throw error;
            const problem = toProblem(error, this.#services.clock.now());
            problems.push(await noteObstacle(step, problem, seen, this.#services));
          }
        }),
      );
      if (this.#services.signal.aborted) return undefined;
      // What stood in the way could not even be stored: that is for the queue to pace.
      const failed = steps.find((step) => step.status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      const obstacleAt = problems.reduce(earliest, undefined);
      if (problems.length === 0) await clearObstacle(plan.steps, obstacle, seen, this.#services);
      // Writes run in the background: with nothing else to do there is nothing to loop for.
      if (plan.steps.every((step) => step.do === 'remove' || step.do === 'publish'))
        return earliest(plan.wakeAt, obstacleAt);
    }
  }

  /** A place that an Order waited for may be free: it is asked for again without waiting out its pause. */
  slotFree(owner: string): void {
    const pace = this.#paces.get(owner)?.pace;
    if (pace?.obstacle?.problem.reason === 'SlotBusy') pace.obstacle = undefined;
  }

  /** When the current look, poll or pause of the Order ends; for tests of `settled`. */
  pace(namespace: string, name: string): OrderPace | undefined {
    return this.#paces.get(`${namespace}/${name}`)?.pace;
  }

  #forget(path: string): void {
    const known = this.#paces.get(path);
    if (known !== undefined) endWatches(known.pace);
    this.#paces.delete(path);
  }

  #observe(key: ObjectKey): SeenOrder | undefined {
    const { store, changes } = this.#services;
    const order = store.get('Order', key.namespace, key.name);
    if (order === undefined) return undefined;
    const path = `${key.namespace}/${key.name}`;
    if (order.status.result !== undefined) this.#claims.delete(order.status.acme?.orderURL ?? '');
    const { uid } = order.metadata;
    // Another Order may have the name of one that is gone.
    if (this.#paces.get(path)?.uid !== uid) this.#forget(path);
    const pace = this.#paces.get(path)?.pace ?? inheritingPace(order);
    if (order.status.result !== undefined || order.metadata.deletedAt !== undefined) endWatches(pace);
    // One that is over and has nothing left in a zone is not remembered: it may stay for months, and had a key.
    const isClean = (order.status.ledger ?? []).length === 0 && pace.publishing.size === 0;
    if (order.status.result !== undefined && isClean) this.#paces.delete(path);
    else this.#paces.set(path, { uid, pace });
    if (pace.changes !== changes()) forgetRoutes(pace, order, changes());
    const { kind, name } = order.spec.issuerRef;
    const issuer = store.get(kind, kind === 'ClusterIssuer' ? '' : key.namespace, name);
    return {
      order,
      pace,
      issuer: issuerState(issuer, name, order),
      hasProviders: (issuer?.spec.acme.dns01.providers.length ?? 0) > 0,
      claims: this.#claims,
      changes: changes(),
    };
  }
}

function inheritingPace(order: Order): OrderPace {
  const pace = newPace();
  inheritValues(order, pace);
  return pace;
}

/** A provider may be another one now, or have other credentials: values go where they belong now, and once more. */
function forgetRoutes(pace: OrderPace, { status }: Order, changes: number): void {
  pace.routes.clear();
  pace.placed = undefined;
  pace.publishedAt.clear();
  for (const { domain } of status.challenges ?? []) pace.moved.add(domain);
  pace.changes = changes;
}

function issuerState(issuer: Issuer | undefined, name: string, order: Order): SeenOrder['issuer'] {
  if (issuer === undefined) return new Problem('IssuerNotFound', `Issuer ${name} does not exist.`, 'change');
  if (accountOf(issuer) === undefined)
    return new Problem('IssuerNotReady', `Issuer ${name} has no account at the CA yet.`, 'change');
  const { accountURL } = order.status;
  if (accountURL !== undefined && accountURL !== accountOf(issuer))
    return new Problem(
      'AccountNotValid',
      `The order belongs to another account than Issuer ${name} has now.`,
      'change',
    );
  return 'ready';
}
