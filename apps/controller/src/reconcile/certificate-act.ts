import { type CertificateFacts, certificateFacts, createCertificateKey } from '@zoneproof/acme';
import { orderLabel } from '../resources/names.ts';
import type { Certificate, CertificateStatus, Order } from '../resources/types.ts';
import { ConflictError, news } from '../store/index.ts';
import { nextIssuanceMs } from './backoff.ts';
import {
  type CertificateStep,
  isReady,
  issuedForAnnotation,
  type SeenCertificate,
  type Stored,
  validity,
} from './certificate-decide.ts';
import { holdsChain, metaOf, renewalOf, restoreSecret, takeOver, tlsType, writePair } from './certificate-secret.ts';
import { conditionsOf, reportCertificate, showCertificate, updateCertificate } from './certificate-status.ts';
import { issuanceHash, orderKeyName, orderLabelOf, orderName } from './issuance.ts';
import { cleanupFinalizer } from './order-act.ts';
import type { Reason } from './reasons.ts';
import { fraction, type Services } from './services.ts';

/**
 * Carries out one step; each is safe to repeat after a crash at any instruction. Tells what the Secret holds by then, where the
 * step has written it.
 *
 * @throws what stood in the way
 */
export async function actOnCertificate(
  step: CertificateStep,
  seen: SeenCertificate,
  services: Services,
): Promise<Stored | undefined> {
  const { certificate } = seen;
  switch (step.do) {
    case 'begin':
      await begin(step.why, seen, services);
      return undefined;
    case 'create-order':
      await createOrder(certificate, services);
      return undefined;
    case 'store-certificate':
      return storeCertificate(certificate, step.order, services);
    case 'record-failure':
      await recordFailure(certificate, step.order, services);
      return undefined;
    case 'drop-order':
      await dropOrder(certificate, step.name, services);
      return undefined;
    case 'drop-former-orders':
      await deleteOrders(
        step.orders.map(({ metadata }) => metadata),
        services,
      );
      return undefined;
    case 'adopt':
      await takeOver(certificate, services);
      await updateCertificate(certificate, services, ({ renewBefore: _before, ...status }) => ({
        ...status,
        ...dates(certificate, step.facts, step.renewAt),
        issuedFor: issuanceHash(certificate.spec),
      }));
      return undefined;
    case 'restore-secret': {
      await restoreSecret(certificate, services);
      const { drift: _gone, ...stored } = step.stored;
      return stored;
    }
    case 'show':
      await showCertificate(certificate, step, services);
      return undefined;
  }
}

/** The Secret is looked at first: an order whose certificate could not be stored would be paid for in vain. */
async function begin(why: string, seen: SeenCertificate, services: Services): Promise<void> {
  const { run, store, clock } = services;
  const { certificate } = seen;
  const { namespace, name } = certificate.metadata;
  await store.checkSecret(metaOf(certificate), tlsType);
  const issuance = (certificate.status.issuance ?? 0) + 1;
  const order = orderName(certificate, issuance);
  reportCertificate(certificate, services, 'Issuing', why);
  const problem = { reason: 'Issuing', message: `Order ${order} is under way.` } as const;
  const ready = isReady(seen, clock.now());
  const conditions = conditionsOf(certificate, { ready, issuing: true, problem }, clock.now());
  // A restart would come to the same number, and meet the Order of that name.
  await run('certificate.store-issuance', () =>
    store.updateStatus(
      'Certificate',
      namespace,
      name,
      ({ status }) => ({ ...status, issuance, order, conditions }),
      news,
    ),
  );
}

/** The key is stored before the Order that will use it, and a key that is there is never replaced. */
async function createOrder(certificate: Certificate, services: Services): Promise<void> {
  const { run, store } = services;
  const { spec, metadata, status } = certificate;
  const { namespace } = metadata;
  const order = status.order as string;
  const keyName = orderKeyName(order);
  // Not the Order, which has no uid yet: what nobody owns would stay behind when all goes at once.
  const owner = { kind: 'Certificate', name: metadata.name, uid: metadata.uid } as const;
  const keyPem = await newKey(certificate, services);
  await run('certificate.store-key', () =>
    store.writeSecret(
      { namespace, name: keyName, owner, labels: { [orderLabel]: orderLabelOf(order) } },
      { type: 'Opaque', data: { 'tls.key': keyPem } },
      { ifAbsent: true },
    ),
  );
  const { kind = 'Issuer', name } = spec.issuerRef;
  try {
    await run('certificate.create-order', () =>
      store.createOrder(
        {
          namespace,
          name: order,
          finalizers: [cleanupFinalizer],
          owner,
          annotations: { [issuedForAnnotation]: issuanceHash(spec) },
        },
        {
          dnsNames: spec.dnsNames,
          issuerRef: { kind, name },
          privateKeySecretName: keyName,
          ...(spec.dns01 === undefined ? {} : { dns01: spec.dns01 }),
        },
      ),
    );
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

async function newKey({ spec, metadata }: Certificate, { store }: Services): Promise<string> {
  const { algorithm = 'ECDSA', size, rotationPolicy = 'Always' } = spec.privateKey ?? {};
  if (rotationPolicy === 'Never') {
    const secret = await store.readSecret(metadata.namespace, spec.secretName);
    const key = secret?.data.get('tls.key');
    if (key !== undefined) return Buffer.from(key).toString('utf8');
  }
  return createCertificateKey({ algorithm, ...(size === undefined ? {} : { size }) });
}

/** The status comes last: what a crash cut off is done again, and no copy of the key stays behind. */
async function storeCertificate(
  certificate: Certificate,
  order: Order,
  services: Services,
): Promise<Stored | undefined> {
  const { run, store, clock } = services;
  const { namespace } = certificate.metadata;
  // Not the one that the spec names: in Kubernetes somebody else may have written it.
  const keyName = orderKeyName(order.metadata.name);
  const chain = order.status.certificate as string;
  const key = (await store.readSecret(namespace, keyName))?.data.get('tls.key');
  if (key !== undefined) {
    await writePair(certificate, chain, Buffer.from(key).toString('utf8'), services);
    await run('certificate.delete-key', () => store.delete({ kind: 'Secret', namespace, name: keyName }));
  } else if (!(await holdsChain(certificate, chain, services))) {
    await recordFailure(certificate, order, services, {
      reason: 'KeyMissing',
      message: `The private key of Order ${order.metadata.name} is gone; a new certificate will be asked for.`,
    });
    return undefined;
  }
  // Names, key, chain and dates were verified before the Order was called valid.
  const facts = certificateFacts(chain);
  const stored = { state: 'present', facts, ...renewalOf(certificate, facts) } as const;
  // Before the status says that all is done: a crash in between runs it once more rather than never.
  services.issued(certificate);
  const shown = validity(stored, stored.renewAt);
  await updateCertificate(
    certificate,
    services,
    ({ order: _done, lastFailure: _cured, renewRequestedAt: _met, renewBefore: _before, ...status }) => ({
      ...status,
      ...dates(certificate, facts, stored.renewAt),
      issuedFor: order.metadata.annotations?.[issuedForAnnotation] ?? issuanceHash(certificate.spec),
      conditions: conditionsOf(certificate, { ready: true, issuing: false, problem: shown }, clock.now()),
    }),
  );
  // It tells from now on how the certificate was come by; the chain lies in the Secret.
  await run('order.store-status', () =>
    store.updateStatus(
      'Order',
      namespace,
      order.metadata.name,
      ({ status: { certificate: _taken, ...rest } }) => rest,
      news,
    ),
  );
  reportCertificate(certificate, services, 'Issued', shown.message);
  return stored;
}

async function recordFailure(
  certificate: Certificate,
  order: Order,
  services: Services,
  why: { readonly reason: string; readonly message: string; readonly retryAt?: number } | undefined = order.status
    .failure,
): Promise<void> {
  const now = services.clock.now();
  const issuedFor = order.metadata.annotations?.[issuedForAnnotation] ?? issuanceHash(certificate.spec);
  const before = certificate.status.lastFailure;
  const count = before?.issuedFor === issuedFor ? before.count + 1 : 1;
  const retryAt = Math.max(now + nextIssuanceMs(count, fraction(services.random)), why?.retryAt ?? 0);
  const { reason = 'OrderInvalid', message = 'The Order failed.' } = why ?? {};
  await updateCertificate(certificate, services, ({ order: _failed, renewRequestedAt: _tried, ...status }) => ({
    ...status,
    lastFailure: { at: now, count, reason, message, retryAt, issuedFor },
  }));
  const told = `Order ${order.metadata.name} failed: ${message}`;
  reportCertificate(certificate, services, reason as Reason, told, { level: 'warn', retryAt });
}

/** The key goes with the Order; it is deleted here where it has no Order yet, since nobody else would. */
async function dropOrder(certificate: Certificate, order: string, services: Services): Promise<void> {
  const { run, store } = services;
  const { namespace } = certificate.metadata;
  if (store.get('Order', namespace, order) === undefined)
    await run('certificate.delete-key', () => store.delete({ kind: 'Secret', namespace, name: orderKeyName(order) }));
  await deleteOrders([{ namespace, name: order }], services);
  await updateCertificate(certificate, services, ({ order: _dropped, ...status }) => status);
}

async function deleteOrders(
  orders: readonly { readonly namespace: string; readonly name: string }[],
  { run, store }: Services,
): Promise<void> {
  await run('certificate.delete-order', () =>
    Promise.all(orders.map(({ namespace, name }) => store.delete({ kind: 'Order', namespace, name }))),
  );
}

function dates({ spec }: Certificate, facts: CertificateFacts, renewAt: number): Partial<CertificateStatus> {
  const { notBefore, notAfter, serial, issuer } = facts;
  const { renewBefore } = spec;
  return { notBefore, notAfter, serial, issuer, renewAt, ...(renewBefore === undefined ? {} : { renewBefore }) };
}
