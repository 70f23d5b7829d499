import { AcmeProblem } from '@zoneproof/acme';
import { type Evidence, type Location, nextLookAt } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus } from '../resources/types.ts';
import { findRoutes, openAccount } from './order-act.ts';
import type { SeenOrder } from './order-decide.ts';
import { giveUpLost } from './order-lost.ts';
import { nextPollAt, valueKey } from './order-pace.ts';
import { goingOn, settledStep, waitingFor, withChallenges } from './order-status.ts';
import { seenSync } from './order-sync.ts';
import type { IssuerSession, Services } from './services.ts';

/** Looks without success after which the way to the value is searched again. */
const lookAroundEvery = 4;

/**
 * One round of the self check. Every challenge whose value is visible on all authoritative servers is handed to the
 * CA at once; the others are looked for again later.
 */
export async function lookAndRespond(
  challenges: readonly ChallengeStatus[],
  seen: SeenOrder,
  services: Services,
): Promise<void> {
  const { pace, order } = seen;
  const { namespace, name } = order.metadata;
  const session = await openAccount(seen, services);
  const byTarget = groupByTarget(challenges, seen);
  const looked = await Promise.all(
    [...byTarget.values()].map(async ({ location, members }) => {
      const evidence = await services.selfCheck.look(
        location,
        members.map(({ value }) => value as string),
        services.signal,
      );
      if (evidence.verdict !== 'visible') services.selfCheck.forget(location.name);
      return Promise.all(
        members.map((challenge) =>
          evidence.verdict === 'visible'
            ? respond(challenge, evidence, session, services)
            : missing(challenge, evidence),
        ),
      );
    }),
  );
  const changed = looked.flat().map((challenge) => located(challenge, seen));
  const now = services.clock.now();
  const behind = changed.find((challenge) => challenge.step === 'presented');
  pace.looks++;
  // The name may lead elsewhere by now. While that cannot be found out, the old place is looked at.
  if (behind !== undefined && pace.looks % lookAroundEvery === 0) {
    const lost = changed.filter(({ step }) => step === 'presented').map(({ domain }) => domain as DnsName);
    await findRoutes([...new Set(lost)], seen, services).catch(() => undefined);
  }
  giveUpLost(changed, pace, now);
  pace.nextLookAt = behind === undefined ? 0 : nextLookAt(pace.looks, presentedAt(behind, seen, now), now);
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
    services.store.updateStatus('Order', namespace, name, (current) => {
      const status = withChallenges(current.status, changed);
      return message === undefined
        ? goingOn(current, status, 'The CA validates.', now)
        : waitingFor(current, status, { reason: 'SelfCheckWaiting', message, until: pace.nextLookAt }, now);
    }),
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

/** Challenges whose values belong at one name are looked for together. */
function groupByTarget(challenges: readonly ChallengeStatus[], { pace }: SeenOrder) {
  const groups = new Map<string, { location: Location; members: ChallengeStatus[] }>();
  for (const challenge of challenges) {
    const route = pace.routes.get(challenge.domain as DnsName);
    if (route === undefined) continue;
    const entry = groups.get(route.location.target) ?? { location: route.location, members: [] };
    entry.members.push(challenge);
    groups.set(route.location.target, entry);
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
