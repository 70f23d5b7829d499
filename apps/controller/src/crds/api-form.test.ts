import fc from 'fast-check';
import type { CertificateStatus, IssuerStatus, OrderStatus } from '../resources/index.ts';
import { orderJson, readObject, resourcePath, statusJson } from './api-form.ts';

const meta = {
  namespace: 'shop',
  name: 'www',
  uid: '5f0e',
  generation: 3,
  resourceVersion: '812',
  creationTimestamp: '2026-11-21T18:06:00Z',
};

const instant = fc.integer({ min: 0, max: Date.UTC(9999, 0) });
const text = fc.string({ maxLength: 12 });
const condition = fc.record({
  type: text,
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  observedGeneration: fc.nat(),
  lastTransitionAt: instant,
});
const conditions = fc.array(condition, { maxLength: 2 });
const some = <T>(fields: { [F in keyof T]: fc.Arbitrary<T[F]> }) => fc.record(fields, { requiredKeys: [] });
const waiting = fc.record({ reason: text, message: text, until: instant });

const issuerStatus = some({
  conditions,
  acme: some({
    accountURL: text,
    server: text,
    keyThumbprint: text,
    termsOfService: text,
    termsOfServiceAgreedAt: instant,
  }),
  providers: fc.array(fc.record({ name: text, block: text, ready: fc.boolean(), reason: text, message: text })),
}) as fc.Arbitrary<IssuerStatus>;

const certificateStatus = some({
  conditions,
  issuance: fc.nat(),
  order: text,
  notBefore: instant,
  notAfter: instant,
  renewAt: instant,
  renewRequestedAt: instant,
  lastFailure: fc.record({
    at: instant,
    count: fc.nat(),
    reason: text,
    message: text,
    retryAt: instant,
    issuedFor: text,
  }),
}) as fc.Arbitrary<CertificateStatus>;

const evidence = fc.record({
  verdict: fc.constant('missing'),
  at: instant,
  servers: fc.array(
    fc.record({
      server: text,
      rttMs: fc.double({ noNaN: true, noDefaultInfinity: true, min: 1 }),
      values: fc.array(text),
    }),
  ),
});
// A block of a stranger may call its fields whatever it likes.
const block = fc.dictionary(
  fc.constantFrom('at', 'time', 'since', 'until', 'notAfter', 'zone'),
  fc.oneof(text, fc.nat()),
);
const orderStatus = some({
  conditions,
  acme: some({ orderURL: text, expiresAt: instant }),
  challenges: fc.array(
    some({
      domain: text,
      expiresAt: instant,
      presentedAt: instant,
      sync: fc.record({ since: instant, state: fc.constant('pending') }),
      evidence,
    }),
    { maxLength: 3 },
  ),
  ledger: fc.array(
    fc.record({ id: text, provider: fc.record({ name: text, config: block }), ttl: fc.nat(), since: instant }),
    { maxLength: 3 },
  ),
  waiting,
  cleanUp: waiting,
  failure: some({ reason: text, retryAt: instant }),
}) as unknown as fc.Arbitrary<OrderStatus>;

test.each([
  ['Issuer', issuerStatus],
  ['ClusterIssuer', issuerStatus],
  ['Certificate', certificateStatus],
  ['Order', orderStatus],
] as const)('a status of %s comes back as it was sent', (kind, statuses) => {
  fc.assert(
    fc.property(statuses as fc.Arbitrary<OrderStatus>, (status) => {
      const sent = JSON.parse(JSON.stringify(statusJson(kind, status))) as object;
      expect(readObject(kind, { metadata: meta, status: sent }).status).toEqual(status);
    }),
    { seed: 7, numRuns: 100 },
  );
});

test('instants are texts with the names that Kubernetes gives them', () => {
  const at = Date.UTC(2026, 10, 21, 18, 6);
  const ready = { type: 'Ready', status: 'True', reason: 'Issued', message: '', observedGeneration: 1 } as const;
  const status = { conditions: [{ ...ready, lastTransitionAt: at }], notAfter: at, renewAt: at + 5 };
  expect(statusJson('Certificate', status)).toEqual({
    conditions: [{ ...ready, lastTransitionTime: '2026-11-21T18:06:00Z' }],
    notAfter: '2026-11-21T18:06:00Z',
    renewalTime: '2026-11-21T18:06:00.005Z',
  });
});

test('an object is read with the fields that somebody uses, and no others', () => {
  const json = {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: {
      ...meta,
      deletionTimestamp: '2026-11-21T18:07:00Z',
      finalizers: ['a/b'],
      labels: { app: 'shop' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'n' },
      managedFields: [{ manager: 'kubectl' }],
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: '1', controller: true },
        { apiVersion: 'zoneproof.dev/v1alpha1', kind: 'Certificate', name: 'c', uid: '2', controller: true },
      ],
    },
    spec: { secretName: 's', dnsNames: ['Bücher.example.', '*.EXAMPLE.org', 'a..b'], issuerRef: { name: 'i' } },
  };
  expect(readObject('Certificate', json)).toEqual({
    kind: 'Certificate',
    metadata: {
      namespace: 'shop',
      name: 'www',
      uid: '5f0e',
      generation: 3,
      resourceVersion: '812',
      createdAt: Date.UTC(2026, 10, 21, 18, 6),
      deletedAt: Date.UTC(2026, 10, 21, 18, 7),
      finalizers: ['a/b'],
      owner: { kind: 'Certificate', name: 'c', uid: '2' },
      labels: { app: 'shop' },
      annotations: { note: 'n' },
    },
    spec: { secretName: 's', dnsNames: ['xn--bcher-kva.example', '*.example.org', 'a..b'], issuerRef: { name: 'i' } },
    status: {},
  });
});

test('a cluster-scoped object has the empty namespace', () => {
  const { namespace: _none, ...clusterMeta } = meta;
  expect(readObject('ClusterIssuer', { metadata: clusterMeta, spec: {} }).metadata.namespace).toBe('');
});

test('a new Order names its owner and what keeps it', () => {
  const spec = {
    dnsNames: ['a.example'],
    issuerRef: { name: 'i', kind: 'Issuer' },
    privateKeySecretName: 'k',
  } as const;
  const owner = { kind: 'Certificate', name: 'www', uid: '2' } as const;
  expect(orderJson({ namespace: 'shop', name: 'www-1', owner, finalizers: ['a/b'] }, spec)).toEqual({
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Order',
    metadata: {
      namespace: 'shop',
      name: 'www-1',
      ownerReferences: [{ apiVersion: 'zoneproof.dev/v1alpha1', ...owner, controller: true }],
      finalizers: ['a/b'],
    },
    spec,
  });
});

test.each([
  [['Certificate', 'shop', 'www'], 'namespaces/shop/certificates/www'],
  [['Order', 'shop'], 'namespaces/shop/orders'],
  [['Issuer'], 'issuers'],
  [['ClusterIssuer', '', 'public'], 'clusterissuers/public'],
  [['Issuer', 'a/b', '../c'], 'namespaces/a%2Fb/issuers/..%2Fc'],
] as const)('%j lies at %s', ([kind, namespace, name], path) =>
  expect(resourcePath(kind, namespace, name)).toBe(`/apis/zoneproof.dev/v1alpha1/${path}`),
);

test('a name of a namespaced kind needs its namespace', () =>
  expect(() => resourcePath('Order', '', 'www-1')).toThrow(/Order www-1 has a namespace/));
