import { ProviderError, type WriteOutcome } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, Order, OrderStatus } from '../resources/types.ts';
import { decideOrder, type SeenOrder } from './order-decide.ts';
import { clearObstacle } from './order-obstacle.ts';
import { newPace } from './order-pace.ts';
import { startPublishing } from './order-publish.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

const challenge = { authorizationURL: 'a1', domain: 'a.example', value: 'v1', step: 'new' } as ChallengeStatus;
const acme = { orderURL: 'o', finalizeURL: 'f', status: 'pending' } as const;

/** One Order whose write ends when the test says so. */
function prepare() {
  let order = {
    kind: 'Order',
    metadata: { namespace: 'd', name: 'www-1', generation: 1 },
    spec: { issuerRef: { kind: 'Issuer', name: 'ca' }, dnsNames: ['a.example'] },
    status: { acme, challenges: [challenge] },
  } as unknown as Order;
  let end: (outcome: WriteOutcome) => void = () => undefined;
  let background: Promise<void> | undefined;
  const forgotten: unknown[] = [];
  const provider = { account: 'x', block: { name: 'p' }, capabilities: { model: 'rrset' } };
  const services = {
    store: {
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        order = { ...order, status: change(order as never) as OrderStatus };
      },
    },
    writer: {
      write: () =>
        new Promise((resolve) => {
          end = (outcome) => resolve([outcome]);
        }),
    },
    sessions: { forgetZones: (bound: unknown) => forgotten.push(bound) },
    inBackground: (_key: string, work: () => Promise<void>) => {
      background = work();
    },
    random: (length: number) => new Uint8Array(length),
    clock: { now: () => 1_000 },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: () => undefined,
    signal: new AbortController().signal,
  } as unknown as Services;
  const pace = newPace();
  const zone = { id: 'z', name: 'a.example' };
  const location = { target: '_acme-challenge.a.example' };
  pace.routes.set('a.example' as DnsName, { location, provider, zone } as unknown as Route);
  const seen = (): SeenOrder => ({ order, pace, issuer: 'ready', hasProviders: true, claims: new Map(), changes: 0 });
  const steps = () => decideOrder(seen(), 1_000).steps.map((step) => step.do);
  return {
    services,
    pace,
    provider,
    forgotten,
    seen,
    steps,
    start: () => startPublishing([challenge], seen(), services),
    end: async (outcome: WriteOutcome) => {
      end(outcome);
      await background;
    },
  };
}

const done: WriteOutcome = { status: 'done', changed: true };
const failed = (kind: ProviderError['kind']): WriteOutcome => {
  return { status: 'failed', error: new ProviderError({ kind, message: `p: ${kind}` }) };
};

test('a write holds no worker, and the value is looked for when it has ended', async () => {
  const { start, end, steps } = prepare();
  expect(steps()).toEqual(['publish']);
  await start();
  expect(steps()).toEqual([]);
  await end(done);
  expect(steps()).toEqual(['look']);
});

test('what stood in its way is told, counted and waited out, whatever succeeded beside it', async () => {
  const { start, end, steps, pace, seen, services } = prepare();
  await start();
  const before = pace.obstacle;
  await clearObstacle([{ do: 'look', challenges: [] }], before, seen(), services);
  await end(failed('unavailable'));
  await clearObstacle([{ do: 'look', challenges: [] }], before, seen(), services);
  expect(pace.obstacle).toMatchObject({ tries: 1 });
  expect(seen().order.status.waiting).toMatchObject({ reason: 'ProviderUnavailable', message: 'p: unavailable' });
  expect(steps()).toEqual([]);
  await start();
  await end(failed('unavailable'));
  expect(pace.obstacle).toMatchObject({ tries: 2 });
  await start();
  await end(done);
  expect(pace.obstacle).toBeUndefined();
  expect(seen().order.status.waiting).toBeUndefined();
});

test('a value that was written while a person changed something is written where it belongs now', async () => {
  const { start, end, steps, pace } = prepare();
  await start();
  pace.changes++;
  pace.moved.add('a.example');
  pace.publishedAt.clear();
  await end(done);
  expect(steps()).toEqual(['publish']);
});

test('a zone that is not there any more is searched again', async () => {
  const { start, end, steps, pace, provider, forgotten } = prepare();
  await start();
  await end(failed('zone-not-found'));
  expect(forgotten).toEqual([provider]);
  pace.obstacle = undefined;
  expect(steps()).toEqual(['route']);
});
