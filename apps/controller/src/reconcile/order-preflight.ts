import type { Finding } from '@zoneproof/core';
import { accountOf } from './issuer-decide.ts';
import { issuerOf, openAccount } from './order-act.ts';
import type { SeenOrder } from './order-decide.ts';
import { Problem } from './problem.ts';
import type { Services } from './services.ts';

/** Trouble with looking costs an order no more than this; what is found out later serves the next one. */
const patienceMs = 1_000;

/**
 * Looks whether the CA is sure to refuse, before it is asked: each failed authorization counts against a limit. Only a
 * certain refusal stops an order. A CA without names for CAA is a private one, which may read neither CAA nor DNSSEC.
 *
 * @throws Problem
 */
export async function refuseForbidden(seen: SeenOrder, services: Services): Promise<void> {
  const { acme } = await openAccount(seen, services);
  const { caaIdentities } = (await acme.directory(services.signal)).meta;
  if (caaIdentities.length === 0) return;
  const denials = await findDenials(seen, caaIdentities, services);
  const [first] = denials;
  if (first === undefined) return;
  throw new Problem(reasonOf(first), denials.map(({ detail }) => detail).join(' '), 'change');
}

async function findDenials(
  seen: SeenOrder,
  caaIdentities: readonly string[],
  services: Services,
): Promise<readonly Finding[]> {
  const { order, pace } = seen;
  const { signal } = services;
  const issuer = issuerOf(seen, services);
  const accountUrl = accountOf(issuer);
  const locations = new Map([...pace.routes].map(([domain, { location }]) => [domain, location]));
  const request = { names: order.spec.dnsNames, caaIdentities, locations };
  const looking = services
    .preflightOf(issuer)
    .denials({ ...request, ...(accountUrl !== undefined && { accountUrl }) }, signal);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([]), patienceMs);
  });
  try {
    return await Promise.race([looking, late]);
  } finally {
    clearTimeout(timer);
    looking.catch(() => undefined);
  }
}

function reasonOf({ id }: Finding): 'CAAForbids' | 'DNSSECBroken' {
  return id === 'caa' ? 'CAAForbids' : 'DNSSECBroken';
}
