import type { CertificateFacts } from '@zoneproof/acme';
import type { Certificate, Issuer, Order } from '../resources/types.ts';
import { whyNotAllowed } from './allowance.ts';
import { condition } from './conditions.ts';
import { issuanceHash, orderName } from './issuance.ts';
import { accountOf } from './issuer-decide.ts';
import type { Reason } from './reasons.ts';

/** What the Secret of a Certificate holds. */
export type Stored =
  | { readonly state: 'missing' }
  /** It is there but is no usable pair; `why` completes "The stored certificate ...". */
  | { readonly state: 'damaged'; readonly why: string }
  /**
   * `renewAt`: when it is due; `warning`: why renewBefore could not be followed; `unfit`: why one that zoneproof did not
   * issue is not the one declared, completing "The stored certificate ...".
   */
  | {
      readonly state: 'present';
      readonly facts: CertificateFacts;
      readonly renewAt: number;
      readonly warning?: string;
      readonly unfit?: string;
      /** What of it is not as declared and can be made right without a new certificate: see `driftOf`. */
      readonly drift?: 'template' | 'other';
    };

export interface SeenCertificate {
  readonly certificate: Certificate;
  readonly issuer: Issuer | undefined;
  readonly stored: Stored;
  /** Epoch milliseconds: when what somebody else had changed was last made right again. */
  readonly restoredAt?: number;
  /** The Order that `status.order` names. */
  readonly order: Order | undefined;
  /** Other Orders of this Certificate. */
  readonly formerOrders: readonly Order[];
}

export type CertificateStep =
  /** Take the number of the next issuance, which its Order and its key are named by. */
  | { readonly do: 'begin'; readonly why: string }
  | { readonly do: 'create-order' }
  | { readonly do: 'store-certificate'; readonly order: Order }
  | { readonly do: 'record-failure'; readonly order: Order }
  /** Of what is under way; its Order may not exist yet. */
  | { readonly do: 'drop-order'; readonly name: string }
  | { readonly do: 'drop-former-orders'; readonly orders: readonly Order[] }
  /** Its labels, annotations or ca.crt are not as declared. */
  | { readonly do: 'restore-secret'; readonly stored: Extract<Stored, { state: 'present' }> }
  /** A matching certificate is there already: take its dates. */
  | { readonly do: 'adopt'; readonly facts: CertificateFacts; readonly renewAt: number }
  | { readonly do: 'show'; readonly ready: boolean; readonly issuing: boolean; readonly problem: Shown };

export interface Shown {
  readonly reason: Reason;
  readonly message: string;
}

export interface CertificatePlan {
  readonly step: CertificateStep;
  /** When `show` is all there is to do: epoch milliseconds of the next look; undefined: a change will wake us. */
  readonly wakeAt?: number;
}

/** What a Certificate needs next. Pure. The old certificate stays in its Secret until the new one replaces it. */
export function decideCertificate(seen: SeenCertificate, now: number): CertificatePlan {
  const { certificate, order, formerOrders } = seen;
  const { status } = certificate;
  const restore = whatToRestore(seen, now);
  if (restore !== undefined) return { step: restore };
  if (status.order !== undefined) {
    if (order !== undefined && isOfAnother(order, certificate)) return makeRoom(order, seen, now);
    if (order?.status.result === 'valid') return { step: { do: 'store-certificate', order } };
    if (order?.status.result === 'failed') return { step: { do: 'record-failure', order } };
    if (isUnwanted(seen) || (order !== undefined && isOutdated(order, seen)))
      return { step: { do: 'drop-order', name: status.order } };
    return { step: order === undefined ? { do: 'create-order' } : showOrder(seen, order, now) };
  }
  const due = whyDue(seen, now);
  if (due === undefined) return rest(seen);
  const obstacle = whatPreventsIssuance(seen, now);
  if (obstacle !== undefined) {
    const shown = { do: 'show', ready: isReady(seen, now), issuing: false, problem: obstacle } as const;
    return { step: shown, ...(obstacle.retryAt === undefined ? {} : { wakeAt: obstacle.retryAt }) };
  }
  // What has failed stays to be looked at until the next try.
  const former = formerOrders.filter((one) => one.metadata.deletedAt === undefined && !isBegun(one, seen));
  if (former.length > 0) return { step: { do: 'drop-former-orders', orders: former } };
  return { step: { do: 'begin', why: due } };
}

/** Why a new certificate is needed, as a sentence; undefined when the stored one will do. */
function whyDue({ certificate, stored }: SeenCertificate, now: number): string | undefined {
  const unfit = whyUnfit(certificate, stored);
  if (unfit !== undefined || stored.state !== 'present') return unfit;
  if (certificate.status.renewRequestedAt !== undefined) return 'A renewal was asked for.';
  const renewAt = fixedRenewal(certificate, stored);
  return renewAt <= now ? `The stored certificate is due since ${new Date(renewAt).toISOString()}.` : undefined;
}

/** The stored instant counts, unless the certificate or `renewBefore` is another one since. */
function fixedRenewal({ status, spec }: Certificate, stored: Extract<Stored, { state: 'present' }>): number {
  const isSame = status.serial === stored.facts.serial && status.renewBefore === spec.renewBefore;
  return isSame ? (status.renewAt ?? stored.renewAt) : stored.renewAt;
}

/** Why the stored certificate is not the one that is declared, however long it is valid. */
function whyUnfit({ status, spec }: Certificate, stored: Stored): string | undefined {
  if (stored.state === 'missing') return 'There is no certificate yet.';
  if (stored.state === 'damaged') return `The stored certificate ${stored.why}.`;
  const wanted = [...spec.dnsNames].sort().join(', ');
  const held = [...stored.facts.names].sort().join(', ');
  if (wanted !== held) return `The stored certificate is for ${held}.`;
  if (stored.unfit !== undefined) return `The stored certificate ${stored.unfit}.`;
  const isAnother = status.issuedFor !== undefined && status.issuedFor !== issuanceHash(spec);
  return isAnother ? 'The Certificate was changed.' : undefined;
}

function whatPreventsIssuance(
  { certificate, issuer }: SeenCertificate,
  now: number,
): (Shown & { readonly retryAt?: number }) | undefined {
  const { name } = certificate.spec.issuerRef;
  if (issuer === undefined) return { reason: 'IssuerNotFound', message: `Issuer ${name} does not exist.` };
  if (issuer.metadata.deletedAt !== undefined)
    return { reason: 'IssuerNotFound', message: `Issuer ${name} is being deleted.` };
  const notAllowed = whyNotAllowed(issuer, certificate.metadata.namespace, certificate.spec.dnsNames);
  if (notAllowed !== undefined) return notAllowed;
  if (accountOf(issuer) === undefined) {
    const why = condition(issuer.status.conditions, 'Ready');
    return {
      reason: 'IssuerNotReady',
      message: `Issuer ${name} has no account at the CA yet${why === undefined ? '' : `: ${why.message}`}`,
    };
  }
  const failure = certificate.status.lastFailure;
  const isSame = failure?.issuedFor === issuanceHash(certificate.spec);
  if (failure !== undefined && isSame && failure.retryAt > now && certificate.status.renewRequestedAt === undefined)
    return { reason: failure.reason, message: failure.message, retryAt: failure.retryAt } as Shown & {
      retryAt: number;
    };
  return undefined;
}

function rest(seen: SeenCertificate): CertificatePlan {
  const { certificate, stored, formerOrders } = seen;
  if (stored.state !== 'present') throw new Error('a certificate at rest has one');
  // One that is being deleted goes when its values are out of the zones.
  const outdated = allButNewest(formerOrders).filter(({ metadata }) => metadata.deletedAt === undefined);
  if (outdated.length > 0) return { step: { do: 'drop-former-orders', orders: outdated } };
  const { serial } = certificate.status;
  const renewAt = fixedRenewal(certificate, stored);
  if (serial !== stored.facts.serial || certificate.status.renewAt !== renewAt)
    return { step: { do: 'adopt', facts: stored.facts, renewAt: stored.renewAt } };
  const lookAt = stored.drift === undefined ? renewAt : Math.min(renewAt, (seen.restoredAt ?? 0) + restoreEveryMs);
  return { step: { do: 'show', ready: true, issuing: false, problem: validity(stored, renewAt) }, wakeAt: lookAt };
}

/** What a Certificate at rest shows. */
export function validity(stored: Extract<Stored, { state: 'present' }>, renewAt: number): Shown {
  const dates = `Valid until ${new Date(stored.facts.notAfter).toISOString()}; renewal on ${new Date(renewAt).toISOString()}.`;
  return { reason: 'Issued', message: stored.warning === undefined ? dates : `${dates} ${stored.warning}` };
}

function showOrder(seen: SeenCertificate, order: Order, now: number): CertificateStep {
  const ready = isReady(seen, now);
  const waiting = order.status.waiting;
  const problem: Shown = {
    reason: (waiting?.reason ?? (ready ? 'RenewalDue' : 'Issuing')) as Shown['reason'],
    message: waiting?.message ?? `Order ${order.metadata.name} is under way.`,
  };
  return { do: 'show', ready, issuing: true, problem };
}

/** What is stored is what is declared, and still valid: being due, or failing to be renewed, takes nothing from that. */
export function isReady({ certificate, stored }: SeenCertificate, now: number): boolean {
  return stored.state === 'present' && stored.facts.notAfter > now && whyUnfit(certificate, stored) === undefined;
}

/**
 * Somebody else's change is made right at once, but not more often than every ten minutes: another program may want it
 * otherwise for as long as it runs.
 */
function whatToRestore({ stored, restoredAt }: SeenCertificate, now: number): CertificateStep | undefined {
  if (stored.state !== 'present' || stored.drift === undefined) return undefined;
  if (stored.drift === 'other' && restoredAt !== undefined && now < restoredAt + restoreEveryMs) return undefined;
  return { do: 'restore-secret', stored };
}

const restoreEveryMs = 600_000;

/** Nobody may issue it any more, whatever has been begun. */
function isUnwanted({ certificate, issuer }: SeenCertificate): boolean {
  if (issuer === undefined) return false;
  const { metadata, spec } = certificate;
  return (
    issuer.metadata.deletedAt !== undefined || whyNotAllowed(issuer, metadata.namespace, spec.dnsNames) !== undefined
  );
}

/** The Certificate or the account of its Issuer was changed while the Order was under way, or the Order was deleted. */
function isOutdated({ metadata, spec, status }: Order, { certificate, issuer }: SeenCertificate): boolean {
  if (metadata.deletedAt !== undefined) return true;
  if (metadata.annotations?.[issuedForAnnotation] !== issuanceHash(certificate.spec)) return true;
  if (JSON.stringify(spec.dns01) !== JSON.stringify(certificate.spec.dns01)) return true;
  const account = issuer === undefined ? undefined : accountOf(issuer);
  return account !== undefined && status.accountURL !== undefined && status.accountURL !== account;
}

function allButNewest(orders: readonly Order[]): readonly Order[] {
  return [...orders].sort((a, b) => b.metadata.createdAt - a.metadata.createdAt).slice(1);
}

/** The next issuance had been begun, and the process ended before that was stored with the Certificate. */
function isBegun(order: Order, seen: SeenCertificate): boolean {
  const { certificate } = seen;
  const name = orderName(certificate, (certificate.status.issuance ?? 0) + 1);
  const isTheNext = order.metadata.name === name && !isOfAnother(order, certificate);
  return isTheNext && order.status.result === undefined && !isOutdated(order, seen);
}

/** A Certificate that was deleted had the same name. */
function isOfAnother({ metadata: { owner } }: Order, { metadata }: Certificate): boolean {
  return owner !== undefined && owner.uid !== metadata.uid;
}

/** The name is free when the values of that Order are out of their zones. */
function makeRoom(order: Order, seen: SeenCertificate, now: number): CertificatePlan {
  const { name, deletedAt } = order.metadata;
  if (deletedAt === undefined) return { step: { do: 'drop-former-orders', orders: [order] } };
  const message = `Order ${name} of an earlier Certificate of that name is taken away first.`;
  const problem = { reason: 'Issuing', message } as const;
  return { step: { do: 'show', ready: isReady(seen, now), issuing: true, problem }, wakeAt: now + makeRoomLookMs };
}

/** Nothing tells a Certificate that an Order of another one is gone. */
const makeRoomLookMs = 1_000;

/** On an Order: what it was made for. */
export const issuedForAnnotation = 'zoneproof.dev/issued-for';
