import type { Authorization, OrderState } from '@zoneproof/acme';
import { type AccountKey, dns01Value } from '@zoneproof/acme';
import type { ChallengeStatus, Order, OrderStatus } from '../resources/types.ts';
import { setCondition } from './conditions.ts';
import type { Reason } from './reasons.ts';

/** The CA's order in the form that the status keeps. */
export function acmeStatus(url: string, order: OrderState): NonNullable<OrderStatus['acme']> {
  return {
    orderURL: url,
    finalizeURL: order.finalizeUrl,
    status: order.status,
    ...(order.certificateUrl === undefined ? {} : { certificateURL: order.certificateUrl }),
    ...(order.expires === undefined ? {} : { expiresAt: order.expires }),
  };
}

/** What has to be done for an authorization; nothing when the CA holds it as valid already (RFC 8555 7.1.4). */
export function newChallenge(authorization: Authorization, key: AccountKey): ChallengeStatus {
  const { url, identifier, wildcard, expires } = authorization;
  const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
  return {
    authorizationURL: url,
    domain: identifier.value.toLowerCase(),
    wildcard,
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(challenge?.token === undefined ? {} : { challengeURL: challenge.url, value: dns01Value(challenge.token, key) }),
    ...settledStep(authorization),
  };
}

/** How far a challenge is by what the CA says of its authorization, and the CA's reason when it failed. */
export function settledStep(
  authorization: Authorization,
): Pick<ChallengeStatus, 'step' | 'authorization' | 'error' | 'errorType'> {
  const { status } = authorization;
  const shown = authorization.wildcard ? `*.${authorization.identifier.value}` : authorization.identifier.value;
  const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
  if (status === 'valid') return { authorization: status, step: 'validated' };
  if (status !== 'pending') {
    const told = authorization.challenges.find(({ error }) => error !== undefined)?.error;
    const reason = told === undefined ? `the authorization is ${status}` : `${told.type}: ${told.detail}`;
    const error = `The CA could not validate ${shown}: ${reason}`;
    return { authorization: status, step: 'failed', error, ...(told === undefined ? {} : { errorType: told.type }) };
  }
  if (challenge?.token === undefined) {
    const offered = authorization.challenges.map(({ type }) => type).join(', ');
    return {
      authorization: status,
      step: 'failed',
      error: `The CA offers no dns-01 challenge for ${shown} (it offers ${offered || 'none'}).`,
    };
  }
  return { authorization: status, step: challenge.status === 'processing' ? 'responded' : 'new' };
}

/** The status with some challenges replaced, matched by authorization. */
export function withChallenges(status: OrderStatus, changed: readonly ChallengeStatus[]): OrderStatus {
  const byUrl = new Map(changed.map((challenge) => [challenge.authorizationURL, challenge]));
  const challenges = (status.challenges ?? []).map((challenge) => byUrl.get(challenge.authorizationURL) ?? challenge);
  return { ...status, challenges };
}

/** The status that says what the Order waits for. */
export function waitingFor(
  order: Order,
  status: OrderStatus,
  waiting: { readonly reason: Reason; readonly message: string; readonly until?: number },
  now: number,
): OrderStatus {
  return { ...status, waiting, conditions: readiness(order, status, 'False', waiting.reason, waiting.message, now) };
}

/** The status without anything in the way. */
export function goingOn(order: Order, status: OrderStatus, message: string, now: number): OrderStatus {
  const { waiting: _gone, ...rest } = status;
  return { ...rest, conditions: readiness(order, status, 'False', 'Issuing', message, now) };
}

/** The status of an Order that is over. */
export function finished(
  order: Order,
  status: OrderStatus,
  result: NonNullable<OrderStatus['result']>,
  reason: Reason,
  message: string,
  now: number,
): OrderStatus {
  const { waiting: _gone, ...rest } = status;
  const ready = result === 'valid' ? 'True' : 'False';
  return { ...rest, result, conditions: readiness(order, status, ready, reason, message, now) };
}

function readiness(
  order: Order,
  status: OrderStatus,
  ready: 'True' | 'False',
  reason: Reason,
  message: string,
  now: number,
): NonNullable<OrderStatus['conditions']> {
  return setCondition(
    status.conditions,
    { type: 'Ready', status: ready, reason, message },
    order.metadata.generation,
    now,
  );
}
