import { AcmeProblem } from '@zoneproof/acme';
import type { Evidence, Location } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus } from '../resources/types.ts';
import { news } from '../store/index.ts';
import { findRoutes, issuerOf, openAccount } from './order-act.ts';
import type { SeenOrder } from './order-decide.ts';
import { giveUpLost } from './order-lost.ts';
import { endWatches, nextPollAt, valueKey } from './order-pace.ts';
import { goingOn, settledStep, waitingFor, withChallenges } from './order-status.ts';
import { seenSync } from './order-sync.ts';
import type { IssuerSession, Services } from './services.ts';

/** How long a value may be missing before the way to it is searched again, and how often from then on. */
const firstLookAroundMs = 15_000;
const lookAroundEveryMs = 60_000;

/**
 * Takes what the self check has found by now. Every challenge whose value is visible on all authoritative servers is
 * handed to the CA at once; the others are watched, and news of them wakes the Order.
 */
export async function lookAndRespond(
  challenges: readonly ChallengeStatus[],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  const { pace, order } = seen;
  const { namespace, name } = order.metadata;
  const session = await openAccount(seen, services);
  const selfCheck = services.selfCheckOf(issuerOf(seen, services));
  const now = services.clock.now();
  if (pace.lookAroundAt === 0) pace.lookAroundAt = now + firstLookAroundMs;
  // News that come from now on set it to 0.
  pace.nextLookAt = Math.max(pace.lookAroundAt, now + 1_000);
  const groups = groupByTarget(challenges, seen);
  endWatches(pace, new Set(groups.keys()));
  const looked = await Promise.all(
    [...groups].map(async ([key, { location, members }]) => {
      const { state, evidence } = selfCheck.watch({
        key,
        location,
        values: members.map(({ value }) => value as string),
        presentedAt: Math.max(...members.map((challenge) => publishedAt(challenge, seen, now))),
        changed: () => {
          pace.nextLookAt = 0;
          services.wake(`Order/${namespace}/${name}`);
        },
      });
      pace.watches.set(key, selfCheck);
      if (evidence === undefined) return [];
      if (state === 'waiting') return members.map((challenge) => missing(challenge, evidence));
      // Should the CA not take it now, there is nothing else to wait for.
      pace.nextLookAt = 0;
      return Promise.all(members.map((challenge) => respond(challenge, evidence, session, services)));
    }),
  );
  const changed = looked.flat().map((challenge) => located(challenge, seen));
  const behind = changed.find((challenge) => challenge.step === 'presented');
  // The name may lead elsewhere by now. While that cannot be found out, the old place is looked at.
  const isAlias = changed.some(({ step, evidence }) => step === 'presented' && leadsElsewhere(evidence));
  if (behind !== undefined && (pace.lookAroundAt <= now || isAlias)) {
    pace.lookAroundAt = now + lookAroundEveryMs;
    pace.nextLookAt = pace.lookAroundAt;
    const lost = changed.filter(({ step }) => step === 'presented').map(({ domain }) => domain as DnsName);
    await findRoutes([...new Set(lost)], seen, services).catch(() => undefined);
  }
  giveUpLost(changed, pace, now);
  if (changed.some(({ step }) => step === 'responded')) {
    pace.polls = 0;
    pace.nextPollAt = nextPollAt(0, undefined, now);
  }
  const message = behind?.evidence?.summary;
  if (behind !== undefined && message !== undefined && !isStored(behind, order.status.challenges))
    services.report({ level: 'info', kind: 'Order', namespace, name, reason: 'SelfCheckWaiting', message });
  // The same picture as before is not worth a write: a slow zone is looked at hundreds of times.
  if (changed.every((challenge) => challenge.step === 'presented' && isStored(challenge, order.status.challenges)))
    return;
  await services.run('order.store-status', () =>
    services.store.updateStatus(
      'Order',
      namespace,
      name,
      (current) => {
        const status = withChallenges(current.status, changed);
        return message === undefined
          ? goingOn(current, status, 'The CA validates.', now)
          : waitingFor(current, status, { reason: 'SelfCheckWaiting', message }, now);
      },
      news,
    ),
  );
}

async function respond(
  challenge: ChallengeStatus,
  evidence: Evidence,
  session: IssuerSession,
  services: Services,
): Promise<ChallengeStatus> {
  const responded: ChallengeStatus = { ...challenge, evidence, step: 'responded' };
  try {
    await services.run('order.respond', () => session.acme.respond(challenge.challengeURL as string, services.signal));
    return responded;
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error;
    // Another order that shares the authorization, or we before a crash, may have answered it already.
    const authorization = await session.acme.authorization(challenge.authorizationURL, services.signal);
    const settled = settledStep(authorization);
    if (settled.step === 'new') throw error;
    return { ...responded, ...settled };
  }
}

function missing(challenge: ChallengeStatus, evidence: Evidence): ChallengeStatus {
  return { ...challenge, evidence, step: 'presented', looks: (challenge.looks ?? 0) + 1 };
}

/** A server shows an alias where the value should be. */
function leadsElsewhere(evidence: Evidence | undefined): boolean {
  return evidence?.servers.some(({ alias, finding }) => alias !== undefined && finding === 'lacks') ?? false;
}

/** Challenges whose values belong at one name are looked for together, under one key of the self check. */
function groupByTarget(challenges: readonly ChallengeStatus[], { order, pace }: SeenOrder) {
  const { namespace, name } = order.metadata;
  const groups = new Map<string, { location: Location; members: ChallengeStatus[] }>();
  for (const challenge of challenges) {
    const route = pace.routes.get(challenge.domain as DnsName);
    if (route === undefined) continue;
    const key = `${namespace}/${name} ${route.location.target}`;
    const entry = groups.get(key) ?? { location: route.location, members: [] };
    entry.members.push(challenge);
    groups.set(key, entry);
  }
  return groups;
}

/** What `status` shows of where the value is. */
function located(challenge: ChallengeStatus, seen: SeenOrder): ChallengeStatus {
  const route = seen.pace.routes.get(challenge.domain as DnsName);
  if (route === undefined) return challenge;
  const sync = seenSync(challenge, seen);
  return {
    ...challenge,
    ...(sync === undefined ? {} : { sync }),
    provider: route.provider.block.name,
    target: route.location.target,
    zone: route.zone.name,
    presentedAt: presentedAt(challenge, seen, challenge.evidence?.at ?? 0),
  };
}

/** When it was written last, or its provider said that it is published. */
function publishedAt(
  { domain, value = '', presentedAt }: ChallengeStatus,
  { pace }: SeenOrder,
  fallback: number,
): number {
  return pace.publishedAt.get(valueKey(domain, value)) ?? presentedAt ?? fallback;
}

function presentedAt(challenge: ChallengeStatus, { pace }: SeenOrder, fallback: number): number {
  return challenge.presentedAt ?? pace.publishedAt.get(valueKey(challenge.domain, challenge.value ?? '')) ?? fallback;
}

function isStored(challenge: ChallengeStatus, stored: readonly ChallengeStatus[] | undefined): boolean {
  const before = stored?.find(({ authorizationURL }) => authorizationURL === challenge.authorizationURL);
  return before?.step === challenge.step && picture(before.evidence) === picture(challenge.evidence);
}

/** What was seen without how long it took, which is another time at each look. */
function picture(evidence: Evidence | undefined): string {
  const servers = evidence?.servers.map(({ rttMs: _another, ...server }) => server);
  return JSON.stringify([evidence?.verdict, evidence?.target, servers]);
}
