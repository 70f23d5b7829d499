import type { AccountLimits } from '@zoneproof/core';
import type { ObjectKey, ObjectOfKind, Order, OrderStatus } from '../resources/types.ts';
import type { QueueState } from '../runtime/work-queue.ts';
import type { Store, WithStatus } from '../store/index.ts';
import { createMetrics } from './metrics.ts';
import { readExposition } from './testing/exposition.ts';

const start = Date.UTC(2026, 10, 21);

function setUp() {
  let now = start;
  const metrics = createMetrics({ clock: { now: () => now }, version: '1.2.3' });
  return {
    metrics,
    pass: (seconds: number) => {
      now += seconds * 1_000;
    },
    scrape: async () => readExposition(await metrics.text()),
  };
}

/** Orders that a test changes; of all other kinds there is one Issuer. */
function orderStore() {
  const orders = new Map<string, Order>();
  const listeners = new Set<(key: ObjectKey) => void>();
  const issuer = { spec: { acme: { dns01: { providers: [{ name: 'lab', selector: {}, rfc2136: {} }] } } } };
  const put = (name: string, status: OrderStatus | undefined): void => {
    const metadata = { namespace: 'ns', name, uid: name, generation: 1, resourceVersion: '1', createdAt: start };
    const spec = { dnsNames: [], issuerRef: { name: 'i', kind: 'Issuer' as const }, privateKeySecretName: 'k' };
    if (status === undefined) orders.delete(name);
    else orders.set(name, { kind: 'Order', metadata, spec, status });
    for (const listener of listeners) listener({ kind: 'Order', namespace: 'ns', name });
  };
  const store = {
    get: (kind: WithStatus, _namespace: string, name: string) => (kind === 'Order' ? orders.get(name) : issuer),
    list: <K extends WithStatus>(kind: K) => (kind === 'Order' ? [...orders.values()] : []) as ObjectOfKind[K][],
    watch: (listener: (key: ObjectKey) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Store;
  return { store, put, listeners };
}

const idle = { queue: { ready: 0, running: 0 }, accounts: () => [] };
const ended = (result: 'valid' | 'failed', reason: string): OrderStatus => ({
  result,
  conditions: [{ type: 'Ready', status: 'True', reason, message: '', observedGeneration: 1, lastTransitionAt: start }],
});

test('an Order is counted once when it ends, and not again by who takes over', async () => {
  const { metrics, pass, scrape } = setUp();
  const { store, put, listeners } = orderStore();
  put('old', ended('valid', 'Issued'));
  const unfollow = metrics.follow({ store, controller: idle });
  put('old', ended('valid', 'Issued'));
  put('a', {});
  pass(42);
  const evidence = { verdict: 'visible', at: start + 12_000, zone: 'z', target: 't', servers: [], summary: '' };
  const challenge = { authorizationURL: 'u', domain: 'd', wildcard: false, authorization: 'valid', step: 'validated' };
  const challenges = [{ ...challenge, provider: 'lab', presentedAt: start + 2_000, evidence }];
  put('a', { ...ended('valid', 'Issued'), challenges: challenges as never });
  put('a', ended('valid', 'Issued'));
  put('b', ended('failed', 'CAAForbids'));
  const { value } = await scrape();
  expect(value('zoneproof_orders_completed_total', { result: 'valid', reason: 'Issued' })).toBe(1);
  expect(value('zoneproof_orders_completed_total', { result: 'failed', reason: 'CAAForbids' })).toBe(1);
  expect(value('zoneproof_order_duration_seconds_sum', { result: 'valid' })).toBe(42);
  expect(value('zoneproof_self_check_delay_seconds_sum', { provider: 'rfc2136' })).toBe(10);
  unfollow();
  expect(listeners.size).toBe(0);
});

test('a process that stands by tells nothing of stored objects, and that it does not lead', async () => {
  const { metrics, scrape } = setUp();
  const { store, put } = orderStore();
  put('a', { waiting: { reason: 'SlotBusy', message: '' } });
  const unfollow = metrics.follow({ store, controller: idle });
  expect((await scrape()).value('zoneproof_orders_waiting', { reason: 'SlotBusy' })).toBe(1);
  unfollow();
  const { value, samples } = await scrape();
  expect(value('zoneproof_leader')).toBe(0);
  expect(samples.filter(({ name }) => /^zoneproof_(orders|certificate|issuer|objects)/.test(name))).toEqual([]);
});

test('queue and limits are as they are at the scrape', async () => {
  const { metrics, pass, scrape } = setUp();
  const { store } = orderStore();
  let queue: QueueState = { ready: 7, running: 256, longestSince: start };
  let accounts: readonly AccountLimits[] = [
    { provider: 'edgedns', rate: 1, pausedUntil: 0, waiting: 0 },
    { provider: 'edgedns', rate: 0.25, pausedUntil: 0, waiting: 3 },
    { provider: 'edgedns', rate: 0.5, pausedUntil: start + 100_000, waiting: 2 },
  ];
  const controller = {
    get queue() {
      return queue;
    },
    accounts: () => accounts,
  };
  metrics.follow({ store, controller });
  pass(40);
  const first = await scrape();
  expect(first.value('zoneproof_queue_depth', { state: 'ready' })).toBe(7);
  expect(first.value('zoneproof_queue_longest_running_seconds')).toBe(40);
  for (const state of ['open', 'slowed', 'paused'])
    expect(first.value('zoneproof_provider_accounts', { provider: 'edgedns', state })).toBe(1);
  expect(first.value('zoneproof_provider_waiting_requests', { provider: 'edgedns' })).toBe(5);
  expect(first.value('zoneproof_provider_pause_seconds', { provider: 'edgedns' })).toBe(60);
  queue = { ready: 0, running: 0 };
  accounts = [];
  const second = await scrape();
  expect(second.value('zoneproof_queue_longest_running_seconds')).toBe(0);
  expect(second.value('zoneproof_provider_accounts', { state: 'paused' })).toBeUndefined();
});

test('events are counted by what they were, and hosts of CAs in a bounded number', async () => {
  const { metrics, scrape } = setUp();
  const { observer } = metrics;
  observer.providerCall({ provider: 'routedns', operation: 'apply', outcome: 'rate-limited', durationMs: 1_500 });
  observer.recordWriter({
    type: 'repeated',
    provider: 'routedns',
    account: 'a',
    zone: 'z' as never,
    changes: 2,
    why: 'conflict',
  });
  for (let at = 0; at < 500; at++) observer.caRequest({ host: `ca${at}.test`, status: 429, durationMs: 20 });
  observer.caRequest({ host: 'ca0.test', durationMs: 30_000 });
  observer.storeWrite({ kind: 'Order', outcome: 'conflict', durationMs: 3 });
  observer.logLine({ level: 'error', kind: 'Order', reason: 'CleanUpAbandoned' });
  metrics.manifestsReloaded(false);
  const { value, samples } = await scrape();
  const call = { provider: 'routedns', operation: 'apply', outcome: 'rate-limited' };
  expect(value('zoneproof_provider_call_duration_seconds_sum', call)).toBe(1.5);
  expect(value('zoneproof_provider_repeats_total', { provider: 'routedns', why: 'conflict' })).toBe(1);
  expect(value('zoneproof_ca_requests_total', { ca: 'ca0.test', code: 'none' })).toBe(1);
  expect(value('zoneproof_ca_requests_total', { ca: 'other', code: '429' })).toBe(480);
  expect(samples.filter(({ name }) => name === 'zoneproof_ca_request_duration_seconds_sum')).toHaveLength(21);
  expect(value('zoneproof_store_writes_total', { kind: 'Order', outcome: 'conflict' })).toBe(1);
  expect(value('zoneproof_cleanup_abandoned_total')).toBe(1);
  expect(value('zoneproof_log_lines_total', { kind: 'Order', level: 'error' })).toBe(1);
  expect(value('zoneproof_manifests_last_reload_successful')).toBe(0);
  expect(value('zoneproof_build_info', { version: '1.2.3' })).toBe(1);
});

test('requests to an API server are counted by resource, and those that write as writes of the store', async () => {
  const { metrics, scrape } = setUp();
  const objects = '/apis/zoneproof.dev/v1alpha1';
  const requests = [
    ['GET', `${objects}/certificates`, 200],
    ['PATCH', `${objects}/namespaces/ns/orders/a/status`, 200],
    ['PATCH', `${objects}/namespaces/ns/orders/a/status`, 409],
    ['PATCH', `${objects}/clusterissuers/a`, 503],
    ['POST', '/api/v1/namespaces/ns/secrets', 201],
    ['DELETE', '/api/v1/namespaces/ns/secrets/a', 404],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/ns/leases/zoneproof', 0],
  ] as const;
  for (const [method, path, status] of requests)
    metrics.observer.kubernetesRequest({ method, path, status, durationMs: 10 });
  const { samples } = await scrape();
  const counts = (metric: string) =>
    samples
      .filter(({ name }) => name === metric)
      .map(({ labels, value }) => [...Object.values(labels), value].join(' '));
  expect(counts('zoneproof_kubernetes_requests_total')).toEqual([
    'GET certificates 200 1',
    'PATCH orders 200 1',
    'PATCH orders 409 1',
    'PATCH clusterissuers 503 1',
    'POST secrets 201 1',
    'DELETE secrets 404 1',
    'PUT leases none 1',
  ]);
  expect(counts('zoneproof_store_writes_total')).toEqual([
    'Order written 1',
    'Order conflict 1',
    'ClusterIssuer failed 1',
    'Secret written 2',
  ]);
});

test('a name with anything in it is one label value', async () => {
  const { metrics, scrape } = setUp();
  const name = 'a"b\\c\nd';
  const certificate = {
    metadata: { namespace: 'ns', name },
    spec: { issuerRef: { name: 'i' } },
    status: {},
  };
  const list = (kind: WithStatus) => (kind === 'Certificate' ? [certificate] : []);
  metrics.follow({ store: { list, watch: () => () => undefined } as unknown as Store, controller: idle });
  const { samples } = await scrape();
  const found = samples.find((sample) => sample.name === 'zoneproof_certificate_ready');
  expect(found?.labels.name).toBe('a\\"b\\\\c\\nd');
});
