import type { AcmeOrder } from '@zoneproof/acme';
import type { LedgerEntry } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, Order } from '../resources/types.ts';
import { baseName } from './choose-provider.ts';
import { type OrderPace, valueKey } from './order-pace.ts';
import { Problem } from './problem.ts';

/** Everything that the decision about an Order rests on. */
export interface SeenOrder {
  readonly order: Order;
  readonly pace: OrderPace;
  /** A Problem of the Issuer: its account cannot be used. */
  readonly issuer: 'ready' | Problem;
  /** The Issuer declares at least one provider. */
  readonly hasProviders: boolean;
  /** Orders at the CA, by URL, that an Order of ours was given and has not stored yet or is working on. */
  readonly claims: Map<string, string>;
  /** Counter of changes made by people, see Services.changes. */
  readonly changes: number;
}

/** One thing to do. Steps of one plan do not depend on each other. */
export type OrderStep =
  /** Find where the values of these domains go, and with which provider. */
  | { readonly do: 'route'; readonly domains: readonly DnsName[] }
  /** Ask the CA for an order. */
  | { readonly do: 'order' }
  | { readonly do: 'read-authorizations'; readonly placed: AcmeOrder }
  | { readonly do: 'publish'; readonly challenges: readonly ChallengeStatus[] }
  /** Ask the providers whether their servers have the values by now. */
  | { readonly do: 'sync'; readonly challenges: readonly ChallengeStatus[] }
  /** Self check; what is visible is handed to the CA. */
  | { readonly do: 'look'; readonly challenges: readonly ChallengeStatus[] }
  | { readonly do: 'poll-authorizations' }
  | { readonly do: 'poll-order' }
  | { readonly do: 'finalize' }
  | { readonly do: 'download' }
  /** Take our values out of the zone. */
  | { readonly do: 'remove'; readonly entries: readonly LedgerEntry[] }
  /** Say that the Issuer is what is missing. */
  | { readonly do: 'wait'; readonly problem: Problem }
  | { readonly do: 'fail'; readonly problem: Problem }
  /** Nothing of the Order is left outside: let it go. */
  | { readonly do: 'release' };

export interface OrderPlan {
  readonly steps: readonly OrderStep[];
  /** Epoch milliseconds; undefined: a change of something will wake us. */
  readonly wakeAt: number | undefined;
}

/** A CA may give up an authorization a little before the time it named. */
const expiryMarginMs = 30_000;
/** Values stay for at most this long when nothing but a change of the configuration could remove them. */
export const abandonAfterMs = 600_000;

/** What an Order needs next. Pure. */
export function decideOrder(seen: SeenOrder, now: number): OrderPlan {
  const { order, pace } = seen;
  const removal = decideRemoval(seen, now);
  if (order.metadata.deletedAt !== undefined || order.status.result !== undefined) {
    // What is being written now may be in the ledger only later.
    const isClean = (order.status.ledger ?? []).length === 0 && pace.publishing.size === 0;
    if (order.metadata.deletedAt !== undefined && isClean) return { steps: [{ do: 'release' }], wakeAt: undefined };
    return removal;
  }
  const main = decideIssuance(seen, now);
  const obstacle = pace.obstacle;
  const wait =
    obstacle !== undefined && obstacle.changes === seen.changes && obstacle.retryAt > now && main.steps.length > 0
      ? { steps: main.steps.filter((step) => step.do === 'fail' || step.do === 'wait'), wakeAt: obstacle.retryAt }
      : main;
  return { steps: [...wait.steps, ...removal.steps], wakeAt: earliest(wait.wakeAt, removal.wakeAt) };
}

function decideIssuance(seen: SeenOrder, now: number): OrderPlan {
  const { order, pace } = seen;
  const { challenges = [] } = order.status;
  const acme = pace.acme ?? order.status.acme;
  const one = (step: OrderStep): OrderPlan => ({ steps: [step], wakeAt: undefined });
  if (acme === undefined) {
    if (seen.issuer !== 'ready') return waitForIssuer(seen.issuer, order);
    const unrouted = seen.hasProviders ? domainsOf(order).filter((domain) => !pace.routes.has(domain)) : [];
    if (unrouted.length > 0) return one({ do: 'route', domains: unrouted });
    return one(pace.placed === undefined ? { do: 'order' } : { do: 'read-authorizations', placed: pace.placed });
  }
  if (acme.status === 'invalid') return one({ do: 'fail', problem: lostOrder(order) });

  const failed = challenges.find(({ step }) => step === 'failed');
  if (failed !== undefined) return one({ do: 'fail', problem: validationFailure(failed) });
  const late = challenges.find((challenge) => isLate(challenge, now)) ?? (isLate(acme, now) ? acme : undefined);
  if (late !== undefined && acme.status !== 'valid') return one({ do: 'fail', problem: tooLate(order) });
  if (seen.issuer !== 'ready') return waitForIssuer(seen.issuer, order, acme.expiresAt);

  const isWanted = ({ step }: ChallengeStatus): boolean => step === 'new' || step === 'presented';
  const isUnderWay = ({ domain, value = '' }: ChallengeStatus): boolean => pace.publishing.has(valueKey(domain, value));
  const fresh = challenges.filter(
    (challenge) => isWanted(challenge) && !isPublished(challenge, pace) && !isUnderWay(challenge),
  );
  const published = challenges.filter((challenge) => isPublished(challenge, pace));
  const needRoute = [...fresh, ...published].filter(({ domain }) => !pace.routes.has(domain as DnsName));
  if (needRoute.length > 0)
    return one({ do: 'route', domains: [...new Set(needRoute.map(({ domain }) => domain as DnsName))] });

  const steps: OrderStep[] = [];
  let wakeAt: number | undefined;
  if (fresh.length > 0) steps.push({ do: 'publish', challenges: fresh });
  const unsynced = published.filter((challenge) => isFollowed(challenge, pace));
  const awaited = published.filter((challenge) => !isFollowed(challenge, pace));
  if (unsynced.length > 0) {
    if (pace.nextSyncAt <= now) steps.push({ do: 'sync', challenges: unsynced });
    else wakeAt = pace.nextSyncAt;
  }
  if (awaited.length > 0) {
    // The last moment for it, should nothing wake the Order before.
    for (const { expiresAt } of awaited)
      if (expiresAt !== undefined) wakeAt = earliest(wakeAt, expiresAt - expiryMarginMs + 1);
    if (pace.nextLookAt <= now) steps.push({ do: 'look', challenges: awaited });
    else wakeAt = earliest(wakeAt, pace.nextLookAt);
  }
  const isAsked = challenges.some(({ step }) => step === 'responded');
  const isOpen = fresh.length + published.length + pace.publishing.size > 0;
  if (isAsked || (!isOpen && (acme.status === 'pending' || acme.status === 'processing'))) {
    if (pace.nextPollAt <= now) steps.push({ do: isAsked ? 'poll-authorizations' : 'poll-order' });
    else wakeAt = earliest(wakeAt, pace.nextPollAt);
  } else if (!isOpen && acme.status === 'ready') steps.push({ do: 'finalize' });
  else if (!isOpen && acme.status === 'valid') steps.push({ do: 'download' });
  return { steps, wakeAt };
}

/** A change of the Issuer wakes the Order; without one it ends with its time. */
function waitForIssuer(problem: Problem, { status }: Order, wakeAt?: number): OrderPlan {
  return { steps: status.waiting?.message === problem.message ? [] : [{ do: 'wait', problem }], wakeAt };
}

/** Our values go as soon as the CA has decided about them, or when the Order is over. */
function decideRemoval({ order, pace, changes }: SeenOrder, now: number): OrderPlan {
  const isOver = order.metadata.deletedAt !== undefined || order.status.result !== undefined;
  const needed = new Set(
    (order.status.challenges ?? [])
      .filter(({ step }) => step !== 'validated' && step !== 'failed')
      .map(({ value }) => value),
  );
  const entries = (order.status.ledger ?? []).filter(
    (entry) => !pace.removing.has(entry.id) && (isOver || !needed.has(entry.value)),
  );
  if (entries.length === 0) return { steps: [], wakeAt: undefined };
  const { removalObstacle: obstacle } = pace;
  if (obstacle !== undefined && obstacle.changes === changes && obstacle.retryAt > now)
    return { steps: [], wakeAt: obstacle.retryAt };
  return { steps: [{ do: 'remove', entries }], wakeAt: undefined };
}

/** Step `new` covers what was written and not yet seen: only an unsuccessful look is worth storing. */
function isPublished(challenge: ChallengeStatus, pace: OrderPace): boolean {
  if (challenge.step === 'presented' && !pace.moved.has(challenge.domain)) return true;
  const isOpen = challenge.step === 'new' || challenge.step === 'presented';
  return isOpen && pace.publishedAt.has(valueKey(challenge.domain, challenge.value ?? ''));
}

/** The provider has not said yet that its servers have the value: asking them earlier tells nothing. */
function isFollowed({ domain, value = '', sync }: ChallengeStatus, pace: OrderPace): boolean {
  return sync?.state === 'pending' && !pace.syncEnds.has(valueKey(domain, value));
}

function isLate(what: ChallengeStatus | NonNullable<Order['status']['acme']>, now: number): boolean {
  if ('step' in what && what.step !== 'new' && what.step !== 'presented') return false;
  return what.expiresAt !== undefined && what.expiresAt - expiryMarginMs < now;
}

function tooLate(order: Order): Problem {
  const waiting = order.status.waiting?.message;
  const seen = order.status.challenges?.find(
    ({ evidence }) => evidence !== undefined && evidence.verdict !== 'visible',
  );
  const what = seen?.evidence?.summary ?? waiting;
  return new Problem(
    seen === undefined ? 'OrderExpired' : 'SelfCheckTimedOut',
    `The CA's time for the order ran out.${what === undefined ? '' : ` ${what}`}`,
    'final',
  );
}

function lostOrder(order: Order): Problem {
  const told = order.status.challenges?.find(({ error }) => error !== undefined);
  if (told !== undefined) return validationFailure(told);
  return new Problem('OrderInvalid', 'The CA gave up the order without a reason.', 'final');
}

function validationFailure({ domain, error, errorType }: ChallengeStatus): Problem {
  const reason = errorType === 'caa' ? 'CAAForbids' : 'ValidationFailed';
  return new Problem(reason, error ?? `${domain} was not validated.`, 'final');
}

/** The names to prove, each once: apex and wildcard are one. */
export function domainsOf(order: Order): readonly DnsName[] {
  return [...new Set(order.spec.dnsNames.map(baseName))];
}

export function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
