import type { CertificateFacts } from '@zoneproof/acme';
import type { Certificate, CertificateStatus, Issuer, Order, OrderStatus } from '../resources/types.ts';
import { decideCertificate, issuedForAnnotation, type SeenCertificate, type Stored } from './certificate-decide.ts';
import { issuanceHash } from './issuance.ts';

const now = 1_000_000;
const spec = { secretName: 's', dnsNames: ['a.example', '*.a.example'], issuerRef: { name: 'ca' } } as const;
const facts = {
  names: ['*.a.example', 'a.example'],
  serial: '01',
  notBefore: 0,
  notAfter: now + 1_000,
} as unknown as CertificateFacts;
const current: Stored = { state: 'present', facts, renewAt: now + 500 };
const issued: CertificateStatus = { serial: '01', renewAt: now + 500, issuedFor: issuanceHash(spec) };
const registered = {
  kind: 'Issuer',
  metadata: { namespace: 'd', name: 'ca' },
  spec: { acme: { server: 'ca' } },
  status: { acme: { accountURL: 'u', server: 'ca' } },
} as unknown as Issuer;
const deleting = { ...registered, metadata: { ...registered.metadata, deletedAt: 1 } } as unknown as Issuer;
const forOthers = {
  ...registered,
  kind: 'ClusterIssuer',
  spec: { ...registered.spec, allowedNamespaces: ['e'] },
} as unknown as Issuer;
const failed = (retryAt: number, issuedFor = issuanceHash(spec)): CertificateStatus => ({
  lastFailure: { at: 0, count: 1, reason: 'ValidationFailed', message: 'no', retryAt, issuedFor },
});
const order = (status: OrderStatus, issuedFor = issuanceHash(spec)): Order =>
  ({
    metadata: { name: 'www-1', createdAt: 1, annotations: { [issuedForAnnotation]: issuedFor } },
    spec: {},
    status,
  }) as unknown as Order;

const former = (name: string, metadata: Partial<Order['metadata']>): Order => {
  const one = order({ result: 'valid' });
  return { ...one, metadata: { ...one.metadata, name, ...metadata } };
};

const ofEarlier = (metadata: Partial<Order['metadata']>): Order =>
  former('www-1', { owner: { kind: 'Certificate', name: 'www', uid: 'earlier' }, ...metadata });

const seen = (status: CertificateStatus, more: Partial<SeenCertificate> = {}): SeenCertificate => ({
  certificate: {
    kind: 'Certificate',
    metadata: { namespace: 'd', name: 'www', uid: 'now', generation: 1 },
    spec,
    status,
  } as unknown as Certificate,
  issuer: registered,
  stored: { state: 'missing' },
  order: undefined,
  formerOrders: [],
  ...more,
});

test.each<[string, SeenCertificate, object, number | undefined]>([
  ['without a certificate one is begun', seen({}), { do: 'begin' }, undefined],
  [
    'the number of the issuance is stored before its Order is created',
    seen({ order: 'www-1', issuance: 1 }),
    { do: 'create-order' },
    undefined,
  ],
  [
    'an Order that delivers is taken',
    seen({ order: 'www-1' }, { order: order({ result: 'valid' }) }),
    { do: 'store-certificate' },
    undefined,
  ],
  [
    'an Order of an earlier Certificate of that name is not taken, but taken away',
    seen({ order: 'www-1' }, { order: ofEarlier({}) }),
    {
      do: 'drop-former-orders',
      orders: [expect.objectContaining({ metadata: expect.objectContaining({ name: 'www-1' }) })],
    },
    undefined,
  ],
  [
    'and until it is gone nothing has its name',
    seen({ order: 'www-1' }, { order: ofEarlier({ deletedAt: 1 }) }),
    { do: 'show', ready: false, issuing: true, problem: { reason: 'Issuing' } },
    now + 1_000,
  ],
  [
    'one that failed is noted',
    seen({ order: 'www-1' }, { order: order({ result: 'failed' }) }),
    { do: 'record-failure' },
    undefined,
  ],
  [
    'one for other names is dropped',
    seen({ order: 'www-1' }, { order: order({}, 'other') }),
    { do: 'drop-order' },
    undefined,
  ],
  [
    'one that is under way is waited for',
    seen({ order: 'www-1' }, { order: order({}) }),
    { do: 'show', ready: false, issuing: true },
    undefined,
  ],
  [
    'the old certificate stays Ready meanwhile',
    seen({ order: 'www-2', ...issued }, { order: order({}), stored: current }),
    { do: 'show', ready: true, issuing: true },
    undefined,
  ],
  [
    'a current certificate rests until its renewal',
    seen(issued, { stored: current }),
    { do: 'show', ready: true, issuing: false },
    now + 500,
  ],
  [
    'a due one is renewed',
    seen({ ...issued, renewAt: now }, { stored: current }),
    { do: 'begin', why: expect.stringContaining('due since') },
    undefined,
  ],
  [
    'the stored instant counts, not one computed again',
    seen({ ...issued, renewAt: now + 9 }, { stored: { ...current, renewAt: now - 9 } }),
    { do: 'show', ready: true },
    now + 9,
  ],
  [
    'one asked for is renewed',
    seen({ ...issued, renewRequestedAt: 1 }, { stored: current }),
    { do: 'begin' },
    undefined,
  ],
  [
    'a damaged one is made again',
    seen(issued, { stored: { state: 'damaged', why: 'lacks its key' } }),
    { do: 'begin', why: 'The stored certificate lacks its key.' },
    undefined,
  ],
  ['a deleted one is made again', seen(issued), { do: 'begin' }, undefined],
  [
    'one for other names is made again',
    seen(issued, { stored: { ...current, facts: { ...facts, names: ['b.example'] } } }),
    { do: 'begin' },
    undefined,
  ],
  [
    'one for another issuer is made again',
    seen({ ...issued, issuedFor: 'other' }, { stored: current }),
    { do: 'begin' },
    undefined,
  ],
  [
    'one that was there before zoneproof is adopted',
    seen({}, { stored: current }),
    { do: 'adopt', renewAt: now + 500 },
    undefined,
  ],
  [
    'one that another tool got with another key or from another Issuer is replaced',
    seen({}, { stored: { ...current, unfit: 'has a key of RSA 2048 bits, not of ECDSA 256' } }),
    { do: 'begin', why: 'The stored certificate has a key of RSA 2048 bits, not of ECDSA 256.' },
    undefined,
  ],
  [
    'an Issuer that is missing is waited for',
    seen({}, { issuer: undefined }),
    { do: 'show', ready: false, problem: { reason: 'IssuerNotFound' } },
    undefined,
  ],
  [
    'an Issuer without an account is waited for',
    seen({}, { issuer: { ...registered, status: {} } as unknown as Issuer }),
    { do: 'show', problem: { reason: 'IssuerNotReady' } },
    undefined,
  ],
  [
    'after a failure the next Order has its time',
    seen(failed(now + 60)),
    { do: 'show', ready: false, problem: { reason: 'ValidationFailed' } },
    now + 60,
  ],
  ['then it is begun', seen(failed(now)), { do: 'begin' }, undefined],
  ['at once when the Certificate was changed', seen(failed(now + 60, 'other')), { do: 'begin' }, undefined],
  ['or when a renewal was asked for', seen({ ...failed(now + 60), renewRequestedAt: 1 }), { do: 'begin' }, undefined],
  [
    'an Issuer that is being deleted is as good as none',
    seen({}, { issuer: deleting }),
    { do: 'show', ready: false, problem: { reason: 'IssuerNotFound', message: 'Issuer ca is being deleted.' } },
    undefined,
  ],
  [
    'what it has under way is given up, so that its values go while its credentials are there',
    seen({ order: 'www-1' }, { issuer: deleting, order: order({}) }),
    { do: 'drop-order', name: 'www-1' },
    undefined,
  ],
  [
    'one that was not created yet, too',
    seen({ order: 'www-1' }, { issuer: deleting }),
    { do: 'drop-order', name: 'www-1' },
    undefined,
  ],
  [
    'a ClusterIssuer for others is asked for nothing',
    seen({}, { issuer: forOthers }),
    { do: 'show', ready: false, problem: { reason: 'NamespaceNotAllowed' } },
    undefined,
  ],
  [
    'nor at a renewal; the certificate stays in use',
    seen({ ...issued, renewAt: now }, { issuer: forOthers, stored: current }),
    { do: 'show', ready: true, issuing: false, problem: { reason: 'NamespaceNotAllowed' } },
    undefined,
  ],
  [
    'a certificate at rest has no need of it',
    seen(issued, { issuer: forOthers, stored: current }),
    { do: 'show', ready: true, problem: { reason: 'Issued' } },
    now + 500,
  ],
  [
    'an Order that is under way when it is forbidden is given up',
    seen({ order: 'www-1' }, { issuer: forOthers, order: order({}) }),
    { do: 'drop-order' },
    undefined,
  ],
  [
    'one that has delivered is not thrown away',
    seen({ order: 'www-1' }, { issuer: forOthers, order: order({ result: 'valid' }) }),
    { do: 'store-certificate' },
    undefined,
  ],
  [
    'another template for the Secret is followed at once',
    seen(issued, { stored: { ...current, drift: 'template' }, restoredAt: now - 1 }),
    { do: 'restore-secret' },
    undefined,
  ],
  [
    'also while a renewal is under way',
    seen({ order: 'www-2', ...issued }, { stored: { ...current, drift: 'template' }, order: order({}) }),
    { do: 'restore-secret' },
    undefined,
  ],
  [
    'what somebody changed of the Secret is made right without a new certificate',
    seen(issued, { stored: { ...current, drift: 'other' } }),
    { do: 'restore-secret' },
    undefined,
  ],
  [
    'but not at the pace of somebody who changes it all the time',
    seen({ ...issued, renewAt: now + 900_000 }, { stored: { ...current, drift: 'other' }, restoredAt: now - 1 }),
    { do: 'show', ready: true },
    now - 1 + 600_000,
  ],
  [
    'former Orders go before a new one begins',
    seen({}, { formerOrders: [order({ result: 'failed' })] }),
    { do: 'drop-former-orders' },
    undefined,
  ],
  [
    'what has failed stays until the next try',
    seen(failed(now + 100), { formerOrders: [order({ result: 'failed' })] }),
    { do: 'show', ready: false },
    now + 100,
  ],
  [
    'an issuance that was begun before a restart goes on',
    seen({}, { formerOrders: [order({})] }),
    { do: 'begin' },
    undefined,
  ],
  [
    'but not what was begun for another spec',
    seen({}, { formerOrders: [order({}, 'another')] }),
    { do: 'drop-former-orders', orders: [{ metadata: { name: 'www-1' } }] },
    undefined,
  ],
  [
    'nor one of an earlier issuance',
    seen({ issuance: 1 }, { formerOrders: [order({})] }),
    { do: 'drop-former-orders' },
    undefined,
  ],
  [
    'at rest all former Orders but the newest are dropped',
    seen(issued, { stored: current, formerOrders: [former('www-1', {}), former('www-2', { createdAt: 2 })] }),
    { do: 'drop-former-orders', orders: [{ metadata: { name: 'www-1' } }] },
    undefined,
  ],
  [
    'one that was dropped and still has values to remove is waited for, not dropped again',
    seen(issued, {
      stored: current,
      formerOrders: [former('www-1', { deletedAt: 5 }), former('www-2', { createdAt: 2 })],
    }),
    { do: 'show', ready: true },
    now + 500,
  ],
])('%s', (_title, what, step, wakeAt) => {
  const plan = decideCertificate(what, now);
  expect(plan.step).toMatchObject(step);
  expect(plan.wakeAt).toBe(wakeAt);
});
