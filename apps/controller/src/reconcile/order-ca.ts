import { AcmeProblem, CertificateMismatchError, createCsr, type OrderState, verifyCertificate } from '@zoneproof/acme';
import type { ChallengeStatus } from '../resources/types.ts';
import { issuerOf } from './order-act.ts';
import type { SeenOrder } from './order-decide.ts';
import { nextPollAt } from './order-pace.ts';
import { acmeStatus, finished, goingOn, newChallenge, settledStep, withChallenges } from './order-status.ts';
import { Problem } from './problem.ts';
import type { Services } from './services.ts';

/** While the CA has not decided, each authorization by itself is asked about at every fourth poll of the order. */
const authorizationPollEvery = 4;

export async function placeOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const issuer = issuerOf(seen, services);
  const { acme } = await services.sessions.open(issuer);
  const { profile } = issuer.spec.acme;
  const placed = await services.run('order.new-order', () =>
    acme.newOrder({ names: seen.order.spec.dnsNames, ...(profile === undefined ? {} : { profile }) }, services.signal),
  );
  claimOrder(placed.url, seen, services);
  await services.run('order.store-order', () =>
    services.store.updateStatus('Order', namespace, name, (current) =>
      goingOn(
        current,
        { ...current.status, acme: acmeStatus(placed.url, placed) },
        'The CA has accepted the order.',
        services.clock.now(),
      ),
    ),
  );
  seen.pace.placed = placed;
}

/** A CA may hand out the same open order twice; two Orders would then finalize it with two keys. */
function claimOrder(url: string, { order, claims }: SeenOrder, { store }: Services): void {
  const own = `${order.metadata.namespace}/${order.metadata.name}`;
  const running = store
    .list('Order')
    .find(({ status }) => status.acme?.orderURL === url && status.result === undefined);
  const holder = running === undefined ? claims.get(url) : `${running.metadata.namespace}/${running.metadata.name}`;
  if (holder !== undefined && holder !== own)
    throw new Problem(
      'OrderShared',
      `The CA gave the order that ${holder} is working on, which has the same names; waiting for it.`,
      'retry',
    );
  claims.set(url, own);
}

export async function readAuthorizations(seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const { acme, key } = await services.sessions.open(issuerOf(seen, services));
  const order = seen.pace.placed ?? (await acme.order(seen.order.status.acme?.orderURL as string, services.signal));
  const authorizations = await Promise.all(
    order.authorizationUrls.map((url) => acme.authorization(url, services.signal)),
  );
  const challenges = authorizations.map((authorization) => newChallenge(authorization, key));
  await services.run('order.store-authorizations', () =>
    services.store.updateStatus('Order', namespace, name, (current) =>
      goingOn(current, { ...current.status, challenges }, 'The TXT values are being written.', services.clock.now()),
    ),
  );
  seen.pace.placed = undefined;
}

/** Asks for the order; its state tells that of all authorizations in one request. */
export async function pollOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { pace } = seen;
  const { namespace, name } = seen.order.metadata;
  const { acme } = await services.sessions.open(issuerOf(seen, services));
  const order = await acme.order(seen.order.status.acme?.orderURL as string, services.signal);
  const asked = (seen.order.status.challenges ?? []).filter(({ step }) => step === 'responded');
  pace.polls++;
  pace.nextPollAt = nextPollAt(pace.polls, order.retryAfterMs, services.clock.now());
  let settled: readonly ChallengeStatus[] = [];
  if (order.status === 'invalid' || (order.status === 'pending' && pace.polls % authorizationPollEvery === 0))
    settled = await Promise.all(
      asked.map(async (challenge): Promise<ChallengeStatus> => {
        const authorization = await acme.authorization(challenge.authorizationURL, services.signal);
        const now = settledStep(authorization);
        return now.step === 'new' ? challenge : { ...challenge, ...now };
      }),
    );
  else if (order.status !== 'pending')
    settled = asked.map((challenge) => ({ ...challenge, step: 'validated', authorization: 'valid' }));
  const isNews = order.status !== seen.order.status.acme?.status || settled.some(({ step }) => step !== 'responded');
  if (!isNews) return;
  // The delays of the waiting for validation are not those of the waiting for issuance.
  if (order.status === 'processing' || order.status === 'ready') pace.polls = 0;
  const error = order.error === undefined ? undefined : `${order.error.type}: ${order.error.detail}`;
  const told = settled.map((challenge) =>
    order.status === 'invalid' && challenge.step === 'responded' && error !== undefined
      ? { ...challenge, error }
      : challenge,
  );
  await services.run('order.store-status', () =>
    services.store.updateStatus('Order', namespace, name, (current) =>
      goingOn(
        current,
        withChallenges({ ...current.status, acme: acmeStatus(order.url, order) }, told),
        `The order is ${order.status} at the CA.`,
        services.clock.now(),
      ),
    ),
  );
}

export async function finalizeOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const { acme } = await services.sessions.open(issuerOf(seen, services));
  const known = seen.order.status.acme as NonNullable<SeenOrder['order']['status']['acme']>;
  const csr = await createCsr(seen.order.spec.dnsNames, await privateKey(seen, services));
  let order: OrderState;
  try {
    order = await services.run('order.finalize', () => acme.finalize(known.finalizeURL, csr, services.signal));
  } catch (error) {
    // RFC 8555 7.4: the order moved on, by ourselves before a crash or by its time; what it is now decides.
    if (!(error instanceof AcmeProblem) || error.type !== 'orderNotReady') throw error;
    order = await acme.order(known.orderURL, services.signal);
  }
  seen.pace.polls = 0;
  seen.pace.nextPollAt = nextPollAt(0, order.retryAfterMs, services.clock.now());
  await services.run('order.store-status', () =>
    services.store.updateStatus('Order', namespace, name, (current) =>
      goingOn(
        current,
        { ...current.status, acme: acmeStatus(known.orderURL, order) },
        'The CA issues the certificate.',
        services.clock.now(),
      ),
    ),
  );
}

/** Downloads, verifies, and only then stores: names, key, chain and dates have to be what was asked for. */
export async function downloadCertificate(seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const { acme } = await services.sessions.open(issuerOf(seen, services));
  const { pemChain } = await acme.certificate(seen.order.status.acme?.certificateURL as string, services.signal);
  const now = services.clock.now();
  try {
    const names = seen.order.spec.dnsNames;
    verifyCertificate({ pemChain, names, keyPem: await privateKey(seen, services), now });
  } catch (error) {
    if (!(error instanceof CertificateMismatchError)) throw error;
    throw new Problem('CertificateMismatch', error.message, 'final', undefined, error);
  }
  await services.run('order.store-status', () =>
    services.store.updateStatus('Order', namespace, name, (current) => ({
      ...finished(current, current.status, 'valid', 'Issued', 'The certificate was downloaded and verified.', now),
      certificate: pemChain,
    })),
  );
}

async function privateKey({ order }: SeenOrder, services: Services): Promise<string> {
  const { namespace } = order.metadata;
  const secret = await services.store.readSecret(namespace, order.spec.privateKeySecretName);
  const key = secret?.data.get('tls.key');
  if (key === undefined)
    throw new Problem(
      'KeyMissing',
      `Secret ${namespace}/${order.spec.privateKeySecretName} with the private key of the order is gone.`,
      'final',
    );
  return Buffer.from(key).toString('utf8');
}
