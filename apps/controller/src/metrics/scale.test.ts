import type { Certificate, Issuer, ObjectMeta, ObjectOfKind, Order } from '../resources/types.ts';
import type { Store, WithStatus } from '../store/index.ts';
import { createMetrics } from './metrics.ts';
import { readExposition } from './testing/exposition.ts';

const now = Date.UTC(2026, 10, 21);
const certificateCount = 10_000;

function meta(namespace: string, name: string): ObjectMeta {
  return { namespace, name, uid: name, generation: 1, resourceVersion: '1', createdAt: now };
}

function condition(isTrue: boolean, reason: string) {
  const status = isTrue ? ('True' as const) : ('False' as const);
  return { type: 'Ready', status, reason, message: 'told', observedGeneration: 1, lastTransitionAt: now };
}

/** Each certificate with its Order; one in a hundred is in trouble, one in a hundred under way. */
function world(): { readonly [K in WithStatus]: readonly ObjectOfKind[K][] } {
  const certificates: Certificate[] = [];
  const orders: Order[] = [];
  for (let at = 0; at < certificateCount; at++) {
    const [namespace, name] = [`team-${at % 250}`, `certificate-${at}`];
    const state = at % 100 === 0 ? 'failed' : at % 100 === 1 ? 'running' : 'valid';
    certificates.push({
      kind: 'Certificate',
      metadata: meta(namespace, name),
      spec: {
        secretName: name,
        dnsNames: [`${name}.example.com`],
        issuerRef: { name: 'letsencrypt', kind: 'ClusterIssuer' },
      },
      status: {
        conditions: [condition(state === 'valid', state === 'valid' ? 'Issued' : 'CredentialsRefused')],
        ...(state === 'valid' ? { notAfter: now + 60 * 86_400_000, renewAt: now + 30 * 86_400_000 } : {}),
      },
    });
    const issuerRef = { name: 'letsencrypt', kind: 'ClusterIssuer' as const };
    orders.push({
      kind: 'Order',
      metadata: meta(namespace, `${name}-1`),
      spec: { dnsNames: [`${name}.example.com`], issuerRef, privateKeySecretName: 'key' },
      status:
        state === 'running'
          ? {
              waiting: { reason: 'SelfCheckWaiting', message: 'told' },
              challenges: [
                { authorizationURL: 'u', domain: name, wildcard: false, authorization: 'pending', step: 'presented' },
              ],
              ledger: [
                {
                  id: name,
                  owner: name,
                  provider: { issuer: 'i', name: 'p', key: 'rfc2136', config: {} },
                  account: 'a',
                  zone: { id: 'z', name: 'example.com' as never },
                  name: 'x.example.com' as never,
                  value: 'v',
                  ttl: 60,
                  since: now - at * 1_000,
                },
              ],
            }
          : { result: state, conditions: [condition(state === 'valid', 'Issued')] },
    });
  }
  const issuer: Issuer = {
    kind: 'ClusterIssuer',
    metadata: meta('', 'letsencrypt'),
    spec: {
      acme: {
        server: 'https://ca.test/directory',
        privateKeySecretRef: { name: 'key' },
        dns01: { providers: [{ name: 'lab', rfc2136: {} }] },
      },
    },
    status: {
      conditions: [condition(true, 'AccountRegistered')],
      providers: [{ name: 'lab', block: 'rfc2136 "lab"', ready: true, reason: 'ProviderReady', message: 'told' }],
    },
  };
  return { Certificate: certificates, Order: orders, ClusterIssuer: [issuer], Issuer: [] };
}

test('ten thousand certificates: three series each, a bounded number of others, and a scrape that is no burden', async () => {
  const objects = world();
  const list = <K extends WithStatus>(kind: K): readonly ObjectOfKind[K][] => objects[kind];
  const store = { list, watch: () => () => undefined } as unknown as Store;
  const metrics = createMetrics({ clock: { now: () => now }, version: '0.0.0' });
  metrics.follow({ store, controller: { queue: { ready: 0, running: 0 }, accounts: () => [] } });
  await metrics.text();
  const before = process.cpuUsage();
  const text = await metrics.text();
  const { user, system } = process.cpuUsage(before);
  const { samples, value } = readExposition(text);
  const ofCertificates = samples.filter(({ name }) => name.startsWith('zoneproof_certificate_')).length;
  expect(ofCertificates).toBe(3 * certificateCount - 2 * 200);
  expect(samples.length - ofCertificates).toBeLessThan(150);
  expect(value('zoneproof_certificates', { ready: 'true', reason: 'Issued' })).toBe(9_800);
  expect(value('zoneproof_certificates', { ready: 'false', reason: 'CredentialsRefused' })).toBe(200);
  expect(value('zoneproof_orders', { state: 'running' })).toBe(100);
  expect(value('zoneproof_orders', { state: 'failed' })).toBe(100);
  expect(value('zoneproof_orders_waiting', { reason: 'SelfCheckWaiting' })).toBe(100);
  expect(value('zoneproof_challenges', { step: 'presented' })).toBe(100);
  expect(value('zoneproof_ledger_entries')).toBe(100);
  expect(value('zoneproof_ledger_oldest_entry_age_seconds')).toBe(9_901);
  // A scrape each 30 s may cost a hundredth of a core; a loaded machine takes its time.
  expect((user + system) / 1_000).toBeLessThan(300);
});
