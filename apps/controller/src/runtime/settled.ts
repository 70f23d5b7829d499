import type { Certificate, Order } from '../resources/types.ts';
import type { Store } from '../store/index.ts';

/** What waits longer than this for the outside counts as not getting on. */
const patienceMs = 30_000;
/** A self check that has not passed after this time counts as not getting on, though it goes on. */
const selfCheckPatienceMs = 600_000;

/**
 * True when waiting longer would not change the picture soon: each certificate is current, or its failure, obstacle or
 * next try lies with a person or more than half a minute away, and every value is out of the zones or cannot be
 * removed now.
 */
export function isSettled(store: Store, now: number): boolean {
  return (
    store.list('Order').every((order) => isOrderSettled(order, now)) &&
    store.list('Certificate').every((certificate) => isCertificateSettled(certificate, store, now))
  );
}

function isCertificateSettled({ status, metadata, spec }: Certificate, store: Store, now: number): boolean {
  if (status.order !== undefined) {
    const order = store.get('Order', metadata.namespace, status.order);
    if (order !== undefined && order.status.result === undefined) return isStuck(order, store, now);
    // The Order cannot be created, or what it delivered cannot be stored.
    const issuing = status.conditions?.find(({ type }) => type === 'Issuing');
    return issuing?.status === 'False' && issuing.observedGeneration === metadata.generation;
  }
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.observedGeneration !== metadata.generation) return false;
  if (ready.status === 'True') return (status.renewAt ?? 0) > now || (status.lastFailure?.retryAt ?? 0) > now;
  return ready.reason !== 'IssuerNotReady' || isIssuerSettled(spec.issuerRef, metadata.namespace, store, now);
}

function isIssuerSettled(
  { kind = 'Issuer', name }: Certificate['spec']['issuerRef'],
  namespace: string,
  store: Store,
  now: number,
): boolean {
  const issuer = store.get(kind, kind === 'ClusterIssuer' ? '' : namespace, name);
  if (issuer === undefined) return true;
  const ready = issuer.status.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined) return false;
  return ready.status === 'True' || ready.reason !== 'CAUnavailable' || now - ready.lastTransitionAt > patienceMs;
}

function isOrderSettled({ status, metadata }: Order, now: number): boolean {
  const isOver = status.result !== undefined || metadata.deletedAt !== undefined;
  if (!isOver) return true;
  return (status.ledger ?? []).length === 0 || (status.cleanUp?.until ?? 0) - now > patienceMs;
}

function isStuck({ status, spec, metadata }: Order, store: Store, now: number): boolean {
  const { waiting } = status;
  if (waiting === undefined) return false;
  if (waiting.reason === 'IssuerNotReady') return isIssuerSettled(spec.issuerRef, metadata.namespace, store, now);
  if (waiting.reason === 'SelfCheckWaiting') {
    const since = Math.min(...(status.challenges ?? []).map(({ presentedAt }) => presentedAt ?? now));
    return now - since > selfCheckPatienceMs;
  }
  return waiting.until === undefined || waiting.until - now > patienceMs;
}
