import type { DnsName } from '@zoneproof/dns';
import { orderKeyName } from './issuance.ts';
import { accountOf } from './issuer-decide.ts';
import {
  downloadCertificate,
  finalizeOrder,
  placeOrder,
  pollAuthorizations,
  pollOrder,
  readAuthorizations,
} from './order-ca.ts';
import type { OrderStep, SeenOrder } from './order-decide.ts';
import { lookAndRespond } from './order-look.ts';
import { failOrder, waitForIssuer } from './order-obstacle.ts';
import { valueKey } from './order-pace.ts';
import { refuseForbidden } from './order-preflight.ts';
import { startPublishing } from './order-publish.ts';
import { followSync } from './order-sync.ts';
import { removeValues } from './order-values.ts';
import { Problem } from './problem.ts';
import { findRoute } from './route.ts';
import type { IssuerSession, Services } from './services.ts';

/** Carries out one step. Each is safe to repeat after a crash at any instruction. @throws what stood in the way */
export async function actOnOrder(step: OrderStep, seen: SeenOrder, services: Services): Promise<void> {
  switch (step.do) {
    case 'route':
      return findRoutes(step.domains, seen, services);
    case 'order':
      await refuseForbidden(seen, services);
      return placeOrder(seen, services);
    case 'read-authorizations':
      return readAuthorizations(step.placed, seen, services);
    case 'publish':
      return startPublishing(step.challenges, seen, services);
    case 'sync':
      return followSync(step.challenges, seen, services);
    case 'look':
      return lookAndRespond(step.challenges, seen, services);
    case 'poll-authorizations':
      return pollAuthorizations(seen, services);
    case 'poll-order':
      return pollOrder(seen, services);
    case 'finalize':
      return finalizeOrder(seen, services);
    case 'download':
      return downloadCertificate(seen, services);
    case 'remove':
      return removeValues(step.entries, seen, services);
    case 'wait':
      return waitForIssuer(step.problem, seen, services);
    case 'fail':
      return failOrder(step.problem, seen, services);
    case 'release':
      return release(seen, services);
  }
}

/** The session of the Issuer's registered account. @throws Problem while its key has none */
export async function openAccount(seen: SeenOrder, services: Services): Promise<IssuerSession> {
  const issuer = issuerOf(seen, services);
  const session = await services.sessions.open(issuer);
  if (accountOf(issuer) !== undefined && issuer.status.acme?.keyThumbprint === session.key.thumbprint) return session;
  const { name } = issuer.metadata;
  throw new Problem(
    'IssuerNotReady',
    `The account key of Issuer ${name} is another one; its account comes first.`,
    'retry',
  );
}

/** Finds where the values of these domains go; one that goes elsewhere than before is to be published again. */
export async function findRoutes(domains: readonly DnsName[], seen: SeenOrder, services: Services): Promise<void> {
  const { order, pace } = seen;
  const issuer = issuerOf(seen, services);
  const routes = await Promise.all(
    domains.map((domain) => findRoute(domain, order, issuer, services, services.signal)),
  );
  for (const route of routes) {
    const before = pace.routes.get(route.domain);
    pace.routes.set(route.domain, route);
    for (const { domain, value = '', ...stored } of order.status.challenges ?? []) {
      // Where it is: by the route that it was written on, or by what is stored.
      const { target = stored.target, zone = stored.zone } = before
        ? { target: before.location.target, zone: before.zone.name }
        : {};
      if (domain !== route.domain || target === undefined) continue;
      if (target === route.location.target && zone === route.zone.name) continue;
      pace.moved.add(domain);
      pace.publishedAt.delete(valueKey(domain, value));
    }
  }
}

export function issuerOf({ order }: SeenOrder, services: Services) {
  const { kind, name } = order.spec.issuerRef;
  const issuer = services.store.get(kind, kind === 'ClusterIssuer' ? '' : order.metadata.namespace, name);
  if (issuer === undefined) throw new Problem('IssuerNotFound', `Issuer ${name} does not exist.`, 'change');
  return issuer;
}

async function release({ order }: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = order.metadata;
  // Not the one that the spec names: in Kubernetes somebody else may have written it.
  await services.run('order.delete-key', () =>
    services.store.delete({ kind: 'Secret', namespace, name: orderKeyName(name) }),
  );
  await services.run('order.remove-finalizer', () =>
    services.store.removeFinalizer({ kind: 'Order', namespace, name }, cleanupFinalizer),
  );
}

/** Keeps a deleted Order until its values are out of the zones. */
export const cleanupFinalizer = 'zoneproof.dev/dns01-cleanup';
