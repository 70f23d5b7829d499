import type { SyncLook, WriteOutcome } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, Order, OrderStatus } from '../resources/types.ts';
import { decideOrder, type SeenOrder } from './order-decide.ts';
import { inheritValues } from './order-lost.ts';
import { newPace, valueKey } from './order-pace.ts';
import { publishValues } from './order-publish.ts';
import { followSync, syncOf } from './order-sync.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

const receipt = { kind: 'change', token: 'C1' };
const acme = { orderURL: 'o', finalizeURL: 'f', status: 'pending' } as const;
const provider = {
  account: 'x',
  displayName: 'routedns "prod"',
  block: { name: 'prod' },
  capabilities: { model: 'rrset', sync: true },
} as unknown as Route['provider'];

const challenge = (domain: string): ChallengeStatus =>
  ({ authorizationURL: domain, domain, value: `v-${domain}`, step: 'new' }) as ChallengeStatus;

/** An Order of two names with a provider that gives receipts. */
function prepare(outcome: Partial<Extract<WriteOutcome, { status: 'done' }>> = { receipt }) {
  let now = 1_000;
  let order = {
    kind: 'Order',
    metadata: { namespace: 'd', name: 'www-1', generation: 1 },
    spec: { issuerRef: { kind: 'Issuer', name: 'ca' }, dnsNames: ['a.example', 'b.example'] },
    status: { acme, challenges: [challenge('a.example'), challenge('b.example')] },
  } as unknown as Order;
  const told: string[] = [];
  const asked: unknown[] = [];
  const looks: SyncLook[] = [];
  const services = {
    store: {
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        order = { ...order, status: change(order as never) as OrderStatus };
      },
    },
    writer: {
      write: async ({ records }: { readonly records: readonly unknown[] }) =>
        records.map(() => ({ status: 'done', changed: true, ...outcome })),
    },
    sync: {
      look: async (_bound: unknown, one: unknown) => {
        asked.push(one);
        return looks.length > 1 ? looks.shift() : looks[0];
      },
    },
    clock: { now: () => now },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: ({ message }: { readonly message: string }) => told.push(message),
    signal: new AbortController().signal,
  } as unknown as Services;
  const routed = () => {
    const pace = newPace();
    for (const domain of ['a.example', 'b.example'] as DnsName[])
      pace.routes.set(domain, {
        location: { target: `_acme-challenge.${domain}` },
        provider,
        zone: { id: 'z', name: 'example' },
      } as unknown as Route);
    return pace;
  };
  let pace = routed();
  const seen = (): SeenOrder => ({ order, pace, issuer: 'ready', hasProviders: true, claims: new Map(), changes: 0 });
  const step = async (): Promise<string> => {
    const plan = decideOrder(seen(), now);
    const [first] = plan.steps;
    if (first?.do === 'publish') await publishValues(first.challenges, seen(), services);
    if (first?.do === 'sync') await followSync(first.challenges, seen(), services);
    return first?.do ?? `wait ${(plan.wakeAt ?? 0) - now}`;
  };
  return {
    seen,
    step,
    told,
    asked,
    looks,
    pass: (ms: number) => {
      now += ms;
    },
    restart: () => {
      pace = routed();
      inheritValues(order, pace);
    },
  };
}

test('what was written is followed at the provider, then looked for in the DNS', async () => {
  const { seen, step, told, asked, looks, pass } = prepare();
  expect([await step(), await step()]).toEqual(['publish', 'wait 1000']);
  expect(seen().order.status.waiting).toMatchObject({
    reason: 'SelfCheckWaiting',
    message: 'waiting for routedns "prod" to publish its change',
    until: 2_000,
  });
  expect(told).toEqual(['waiting for routedns "prod" to publish its change']);
  looks.push({ state: 'pending', nextLookAt: 4_000 }, { state: 'pending', nextLookAt: 4_000 }, { state: 'synced' });
  pass(1_000);
  expect([await step(), await step()]).toEqual(['sync', 'wait 2000']);
  pass(2_000);
  expect([await step(), await step()]).toEqual(['sync', 'look']);
  expect(asked).toEqual(Array(4).fill(receipt));
  expect(seen().pace.publishedAt.get(valueKey('a.example', 'v-a.example'))).toBe(4_000);
});

test('a restart goes on with the receipts, and does not take what is published for lost', async () => {
  const { seen, step, asked, looks, restart } = prepare();
  await step();
  restart();
  looks.push({ state: 'synced' });
  expect([await step(), await step()]).toEqual(['sync', 'look']);
  expect(asked).toEqual([receipt, receipt]);
  expect([...seen().pace.inherited]).toEqual([]);
});

test('a provider that cannot tell leaves it to the DNS', async () => {
  const { step, looks, pass } = prepare();
  await step();
  looks.push({ state: 'unknown', reason: 'GetChange is forbidden' });
  pass(1_000);
  expect([await step(), await step()]).toEqual(['sync', 'look']);
});

test('a provider that never gets done is not waited for without end', async () => {
  const { seen, step, told, asked, looks, pass } = prepare();
  await step();
  looks.push({ state: 'pending', nextLookAt: 9_000_000 });
  pass(1_000);
  expect([await step(), await step()]).toEqual(['sync', 'wait 299000']);
  pass(299_000);
  expect([await step(), await step()]).toEqual(['sync', 'look']);
  expect(asked).toHaveLength(2);
  expect(told).toHaveLength(2);
  expect(told.at(-1)).toBe(
    'routedns "prod" has not said within 300 s that its change is published; the DNS alone is asked now',
  );
  expect(seen().pace.nextLookAt).toBe(0);
});

test('a value that was there already is looked for at once', async () => {
  const { seen, step } = prepare({ changed: false });
  expect([await step(), await step()]).toEqual(['publish', 'look']);
  expect(seen().order.status.challenges?.map((one) => one.step)).toEqual(['new', 'new']);
});

test('the receipt of another account is not asked about', async () => {
  const { seen, step, asked, pass } = prepare();
  await step();
  for (const [domain, route] of seen().pace.routes)
    seen().pace.routes.set(domain, { ...route, provider: { ...provider, account: 'y' } });
  pass(1_000);
  expect([await step(), await step()]).toEqual(['sync', 'look']);
  expect(asked).toEqual([]);
});

test.each<[string, WriteOutcome, boolean, boolean]>([
  ['a receipt of a provider that can tell', { status: 'done', changed: true, receipt }, true, true],
  ['a receipt of one that cannot', { status: 'done', changed: true, receipt }, false, false],
  ['no receipt', { status: 'done', changed: true }, true, false],
  ['nothing written', { status: 'waiting', reason: 'busy' }, true, false],
])('%s', (_title, outcome, sync, isFollowed) => {
  const bound = { ...provider, capabilities: { ...provider.capabilities, sync } };
  expect(syncOf(outcome, bound, 5)).toEqual(
    isFollowed ? { account: 'x', receipt, state: 'pending', since: 5 } : undefined,
  );
});
