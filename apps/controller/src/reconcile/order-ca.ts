import {
  type AcmeOrder,
  AcmeProblem,
  AcmeProtocolError,
  CertificateMismatchError,
  createCsr,
  type OrderState,
  verifyCertificate,
} from '@zoneproof/acme';
import type { ChallengeStatus } from '../resources/types.ts';
import { news } from '../store/index.ts';
import { accountOf } from './issuer-decide.ts';
import { issuerOf, openAccount } from './order-act.ts';
import type { SeenOrder } from './order-decide.ts';
import { nextPollAt } from './order-pace.ts';
import { acmeStatus, finished, goingOn, newChallenge, settledStep, withChallenges } from './order-status.ts';
import { Problem } from './problem.ts';
import type { Services } from './services.ts';

/** Polls after which every authorization is looked at, decided or not. */
const lookAtAllEvery = 4;
/** A CA that is quick is not worth a write that says what it is at. */
const storeAfterPolls = 5;

/** What the CA gives is stored together with its authorizations; lost between the two, it is asked for again. */
export async function placeOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { acme } = await openAccount(seen, services);
  const issuer = issuerOf(seen, services);
  const { profile } = issuer.spec.acme;
  const placed = await services.run('order.new-order', () =>
    acme.newOrder({ names: seen.order.spec.dnsNames, ...(profile === undefined ? {} : { profile }) }, services.signal),
  );
  claimOrder(placed.url, seen, services);
  seen.pace.placed = placed;
}

/** A CA may hand out the same open order twice; two Orders would then finalize it with two keys. */
function claimOrder(url: string, { order, claims }: SeenOrder, { store }: Services): void {
  const own = `${order.metadata.namespace}/${order.metadata.name}`;
  const holder = claims.get(url) ?? own;
  const [namespace, name] = holder.split('/') as [string, string];
  const other = holder === own ? undefined : store.get('Order', namespace, name);
  if (other !== undefined && other.status.result === undefined && other.metadata.deletedAt === undefined)
    throw new Problem(
      'OrderShared',
      `The CA gave the order that ${holder} is working on, which has the same names; waiting for it.`,
      'retry',
    );
  claims.set(url, own);
}

export async function readAuthorizations(placed: AcmeOrder, seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const { acme, key } = await openAccount(seen, services);
  const accountURL = accountOf(issuerOf(seen, services));
  const authorizations = await Promise.all(
    placed.authorizationUrls.map((url) => acme.authorization(url, services.signal)),
  );
  const challenges = authorizations.map((authorization) => newChallenge(authorization, key));
  await services.run('order.store-order', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) =>
        goingOn(
          current,
          {
            ...current.status,
            acme: acmeStatus(placed.url, placed),
            ...(accountURL === undefined ? {} : { accountURL }),
            challenges,
          },
          'The CA has accepted the order; its TXT values are being written.',
          services.clock.now(),
        ),
      // Their intents are stored next, and this with them.
      challenges.some(({ step }) => step === 'new') ? news : {},
    ),
  );
}

/**
 * Asks about the authorizations that were answered (RFC 8555 7.5.1). While the first of them is undecided it stands for
 * the others, which are validated at the same time: an order of 100 names is not asked about 100 times a round.
 */
export async function pollAuthorizations(seen: SeenOrder, services: Services): Promise<void> {
  const { pace } = seen;
  const { namespace, name } = seen.order.metadata;
  const { acme } = await openAccount(seen, services);
  const asked = (seen.order.status.challenges ?? []).filter(({ step }) => step === 'responded');
  const look = async (challenge: ChallengeStatus): Promise<ChallengeStatus> => {
    const authorization = await acme.authorization(challenge.authorizationURL, services.signal);
    retryAfterMs = Math.max(retryAfterMs, authorization.retryAfterMs ?? 0);
    const now = settledStep(authorization);
    return now.step === 'validated' || now.step === 'failed' ? { ...challenge, ...now } : challenge;
  };
  let retryAfterMs = 0;
  const [first, ...rest] = asked as [ChallengeStatus, ...ChallengeStatus[]];
  const decided = await look(first);
  const lookAtAll = decided !== first || pace.polls % lookAtAllEvery === lookAtAllEvery - 1;
  const looked = [decided, ...(lookAtAll ? await Promise.all(rest.map(look)) : [])];
  const settled = looked.filter(({ step }) => step !== 'responded');
  pace.polls = settled.length === 0 ? pace.polls + 1 : 0;
  pace.nextPollAt = settled.length === asked.length ? 0 : nextPollAt(pace.polls, retryAfterMs, services.clock.now());
  if (settled.length === 0) return;
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) =>
        goingOn(current, withChallenges(current.status, settled), 'The CA has validated.', services.clock.now()),
      news,
    ),
  );
}

/** Asks for the order, once its authorizations are decided and again while the CA issues. */
export async function pollOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { pace } = seen;
  const { namespace, name } = seen.order.metadata;
  const { acme } = await openAccount(seen, services);
  const order = await acme.order(seen.order.status.acme?.orderURL as string, services.signal);
  pace.polls++;
  pace.nextPollAt = nextPollAt(pace.polls, order.retryAfterMs, services.clock.now());
  pace.acme = acmeStatus(order.url, order);
  if (order.status === 'invalid') {
    const told = order.error === undefined ? 'without a reason' : `${order.error.type}: ${order.error.detail}`;
    throw new Problem('OrderInvalid', `The CA gave up the order: ${told}`, 'final');
  }
  if (pace.polls !== storeAfterPolls) return;
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) =>
        goingOn(
          current,
          { ...current.status, acme: acmeStatus(order.url, order) },
          `The order is ${order.status} at the CA.`,
          services.clock.now(),
        ),
      news,
    ),
  );
}

export async function finalizeOrder(seen: SeenOrder, services: Services): Promise<void> {
  const { acme } = await openAccount(seen, services);
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
  // Not stored: after a crash the CA tells it again.
  // A CA of several servers may still tell the state before: asked again at the pace of a poll, not finalized at once.
  const status = order.status === 'ready' ? 'processing' : order.status;
  seen.pace.acme = { ...acmeStatus(known.orderURL, order), status };
  seen.pace.polls = 0;
  seen.pace.nextPollAt = nextPollAt(1, order.retryAfterMs, services.clock.now());
}

/** Downloads, verifies, and only then stores: names, key, chain and dates have to be what was asked for. */
export async function downloadCertificate(seen: SeenOrder, services: Services): Promise<void> {
  const { namespace, name } = seen.order.metadata;
  const { acme } = await openAccount(seen, services);
  const url = (seen.pace.acme ?? seen.order.status.acme)?.certificateURL as string;
  const { pemChain } = await acme.certificate(url, services.signal).catch((error: unknown) => {
    // A valid order never expires for us: a certificate that is not there (any more) would be asked for without end.
    const isGone = error instanceof AcmeProtocolError && (error.httpStatus === 404 || error.httpStatus === 410);
    throw isGone ? new Problem('CAProtocolError', error.message, 'final', undefined, error) : error;
  });
  const now = services.clock.now();
  try {
    const names = seen.order.spec.dnsNames;
    verifyCertificate({ pemChain, names, keyPem: await privateKey(seen, services), now });
  } catch (error) {
    if (!(error instanceof CertificateMismatchError)) throw error;
    throw new Problem('CertificateMismatch', error.message, 'final', undefined, error);
  }
  // The Certificate takes it at once; after a restart it is downloaded once more.
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) => ({
        ...finished(current, current.status, 'valid', 'Issued', 'The certificate was downloaded and verified.', now),
        ...(seen.pace.acme === undefined ? {} : { acme: seen.pace.acme }),
        certificate: pemChain,
      }),
      news,
    ),
  );
}

async function privateKey({ order, pace }: SeenOrder, services: Services): Promise<string> {
  const { namespace } = order.metadata;
  pace.keyPem ??= (await services.store.readSecret(namespace, order.spec.privateKeySecretName))?.data.get('tls.key');
  if (pace.keyPem === undefined)
    throw new Problem(
      'KeyMissing',
      `Secret ${namespace}/${order.spec.privateKeySecretName} with the private key of the order is gone.`,
      'final',
    );
  return Buffer.from(pace.keyPem).toString('utf8');
}
