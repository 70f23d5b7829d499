import type { LedgerEntry } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, Order, OrderStatus } from '../resources/types.ts';
import { decideOrder, type SeenOrder } from './order-decide.ts';
import { newPace, type OrderPace, valueKey } from './order-pace.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

const now = 1_000_000;
const acme = { orderURL: 'o', finalizeURL: 'f', status: 'pending' } as const;

const challenge = (step: ChallengeStatus['step'], more: Partial<ChallengeStatus> = {}): ChallengeStatus => ({
  authorizationURL: 'a1',
  domain: 'example.com',
  wildcard: false,
  authorization: 'pending',
  challengeURL: 'c1',
  value: 'v1',
  step,
  ...more,
});

const entry = { id: 'e1', value: 'v1', name: '_acme-challenge.example.com' } as unknown as LedgerEntry;

const seen = (
  status: OrderStatus,
  more: Partial<SeenOrder> & { deleted?: boolean; routed?: boolean } = {},
): SeenOrder => {
  const pace = more.pace ?? newPace();
  if (more.routed !== false) pace.routes.set('example.com' as DnsName, {} as Route);
  const order = {
    kind: 'Order',
    metadata: { namespace: 'default', name: 'www-1', ...(more.deleted ? { deletedAt: now } : {}) },
    spec: {
      dnsNames: ['example.com', '*.example.com'],
      issuerRef: { name: 'ca', kind: 'Issuer' },
      privateKeySecretName: 'k',
    },
    status,
  } as unknown as Order;
  return { issuer: 'ready', hasProviders: true, claims: new Map(), changes: 0, ...more, order, pace };
};

const sync = { account: 'a', receipt: { kind: 'change', token: 'C1' }, state: 'pending', since: now } as const;
const ended = (end: { readonly state: 'synced' } | { readonly state: 'unknown'; readonly reason: string }) =>
  pace({ syncEnds: new Map([[valueKey('example.com', 'v1'), end]]) });
const pace = (values: Partial<OrderPace>): OrderPace => ({ ...newPace(), ...values });
const writing = (values: Partial<OrderPace> = {}) =>
  pace({ publishing: new Set([valueKey('example.com', 'v1')]), ...values });
const published = (values: Partial<OrderPace> = {}) =>
  pace({ publishedAt: new Map([[valueKey('example.com', 'v1'), now]]), ...values });

test.each<[string, SeenOrder, readonly string[], number | undefined]>([
  ['a new Order first finds where its value goes', seen({}, { routed: false }), ['route'], undefined],
  ['then asks the CA', seen({}), ['order'], undefined],
  [
    'an Issuer without providers may still order: the CA may need no proof',
    seen({}, { hasProviders: false, routed: false }),
    ['order'],
    undefined,
  ],
  [
    'an Issuer without an account is waited for, and that is told',
    seen({}, { issuer: new Problem('IssuerNotReady', 'no account', 'change') }),
    ['wait'],
    undefined,
  ],
  [
    'once, and not beyond the time of the order',
    seen(
      { acme: { ...acme, expiresAt: now + 90_000 }, waiting: { reason: 'IssuerNotReady', message: 'no account' } },
      { issuer: new Problem('IssuerNotReady', 'no account', 'change') },
    ),
    [],
    now + 90_000,
  ],

  ['a pending one gets its value', seen({ acme, challenges: [challenge('new')] }), ['publish'], undefined],
  [
    'once: while it is being written nothing else is to be done for it',
    seen({ acme, challenges: [challenge('new')] }, { pace: writing() }),
    [],
    undefined,
  ],
  [
    'and the CA is not asked about an order whose values are not written',
    seen({ acme, challenges: [challenge('new')] }, { pace: writing({ nextPollAt: now - 1 }) }),
    [],
    undefined,
  ],
  [
    'what was written is looked for',
    seen({ acme, challenges: [challenge('new')] }, { pace: published() }),
    ['look'],
    undefined,
  ],
  [
    'after a restart too, once its route is known again',
    seen({ acme, challenges: [challenge('presented')] }, { routed: false }),
    ['route'],
    undefined,
  ],
  [
    'the next look has its time',
    seen({ acme, challenges: [challenge('presented')] }, { pace: pace({ nextLookAt: now + 5 }) }),
    [],
    now + 5,
  ],
  [
    "it ends with the CA's authorization, should no news of it come before",
    seen(
      { acme, challenges: [challenge('presented', { expiresAt: now + 40_000 })] },
      { pace: pace({ nextLookAt: now + 60_000 }) },
    ),
    [],
    now + 10_001,
  ],
  [
    'where the provider tells itself when a value is published, it is asked first',
    seen({ acme, challenges: [challenge('presented', { sync })] }),
    ['sync'],
    undefined,
  ],
  [
    'at its time',
    seen({ acme, challenges: [challenge('presented', { sync })] }, { pace: pace({ nextSyncAt: now + 3 }) }),
    [],
    now + 3,
  ],
  [
    'while values of other providers are looked for',
    seen(
      { acme, challenges: [challenge('presented', { sync }), challenge('presented', { value: 'v2' })] },
      { pace: pace({ nextSyncAt: now + 3 }) },
    ),
    ['look'],
    now + 3,
  ],
  [
    'whichever comes first',
    seen(
      { acme, challenges: [challenge('presented', { sync }), challenge('presented', { value: 'v2' })] },
      { pace: pace({ nextSyncAt: now + 3, nextLookAt: now + 2 }) },
    ),
    [],
    now + 2,
  ],
  [
    'then the value is looked for',
    seen({ acme, challenges: [challenge('presented', { sync })] }, { pace: ended({ state: 'synced' }) }),
    ['look'],
    undefined,
  ],
  [
    'also where the provider cannot tell',
    seen(
      { acme, challenges: [challenge('presented', { sync })] },
      { pace: ended({ state: 'unknown', reason: 'forbidden' }) },
    ),
    ['look'],
    undefined,
  ],
  [
    'after a restart too',
    seen({ acme, challenges: [challenge('presented', { sync: { ...sync, state: 'synced' } })] }),
    ['look'],
    undefined,
  ],
  [
    'a value that belongs elsewhere now is written there first',
    seen({ acme, challenges: [challenge('presented', { sync })] }, { pace: pace({ moved: new Set(['example.com']) }) }),
    ['publish'],
    undefined,
  ],
  [
    'a provider that does not publish ends the Order with its time',
    seen({ acme, challenges: [challenge('presented', { sync, expiresAt: now + 20_000 })] }),
    ['fail'],
    undefined,
  ],
  [
    'the CA is asked how far it is',
    seen({ acme, challenges: [challenge('responded')] }),
    ['poll-authorizations'],
    undefined,
  ],
  [
    'not before its time',
    seen({ acme, challenges: [challenge('responded')] }, { pace: pace({ nextPollAt: now + 7 }) }),
    [],
    now + 7,
  ],
  [
    'valid authorizations need no value',
    seen({ acme: { ...acme, status: 'ready' }, challenges: [challenge('validated')] }),
    ['finalize'],
    undefined,
  ],
  [
    'a processing order is polled',
    seen({ acme: { ...acme, status: 'processing' }, challenges: [challenge('validated')] }),
    ['poll-order'],
    undefined,
  ],
  [
    'a valid order is downloaded',
    seen({ acme: { ...acme, status: 'valid' }, challenges: [challenge('validated')] }),
    ['download'],
    undefined,
  ],
  [
    'a value goes as soon as the CA has decided',
    seen({ acme: { ...acme, status: 'ready' }, challenges: [challenge('validated')], ledger: [entry] }),
    ['finalize', 'remove'],
    undefined,
  ],
  [
    'and stays until then',
    seen({ acme, challenges: [challenge('responded')], ledger: [entry] }),
    ['poll-authorizations'],
    undefined,
  ],
  [
    'a failed challenge ends the Order',
    seen({ acme, challenges: [challenge('failed', { error: 'no TXT' })] }),
    ['fail'],
    undefined,
  ],
  [
    'an order that the CA gave up ends',
    seen({ acme: { ...acme, status: 'invalid' }, challenges: [] }),
    ['fail'],
    undefined,
  ],
  [
    'an authorization about to expire ends it',
    seen({ acme, challenges: [challenge('presented', { expiresAt: now + 20_000 })] }),
    ['fail'],
    undefined,
  ],
  [
    'an ended Order removes its values',
    seen({ acme, result: 'failed', challenges: [challenge('failed')], ledger: [entry] }),
    ['remove'],
    undefined,
  ],
  ['once', seen({ result: 'failed', ledger: [entry] }, { pace: pace({ removing: new Set(['e1']) }) }), [], undefined],
  [
    'and again at its time',
    seen({ result: 'failed', ledger: [entry] }, { pace: pace({ removalObstacle: { retryAt: now + 9, changes: 0 } }) }),
    [],
    now + 9,
  ],
  [
    'or when a person changed something',
    seen({ result: 'failed', ledger: [entry] }, { pace: pace({ removalObstacle: { retryAt: now + 9, changes: -1 } }) }),
    ['remove'],
    undefined,
  ],
  ['and then rests', seen({ result: 'valid' }), [], undefined],
  [
    'a deleted Order removes its values before it goes',
    seen({ acme, challenges: [challenge('presented')], ledger: [entry] }, { deleted: true }),
    ['remove'],
    undefined,
  ],
  ['then it goes', seen({}, { deleted: true }), ['release'], undefined],
  [
    'not while a value is being written, which may be recorded only later',
    seen({ acme, challenges: [challenge('new')] }, { deleted: true, pace: writing() }),
    [],
    undefined,
  ],
])('%s', (_title, what, steps, wakeAt) => {
  const plan = decideOrder(what, now);
  expect({ steps: plan.steps.map((step) => step.do), wakeAt: plan.wakeAt }).toEqual({ steps, wakeAt });
});

describe('what stood in the way', () => {
  const obstacle = { problem: new Problem('CAUnavailable', '', 'retry'), tries: 1, retryAt: now + 500, changes: 0 };

  test('holds the next step until its time', () => {
    expect(decideOrder(seen({ acme }, { pace: pace({ obstacle }) }), now)).toEqual({ steps: [], wakeAt: now + 500 });
  });

  test('does not hold the removal of values that are no longer needed', () => {
    const plan = decideOrder(
      seen(
        { acme: { ...acme, status: 'ready' }, challenges: [challenge('validated')], ledger: [entry] },
        { pace: pace({ obstacle }) },
      ),
      now,
    );
    expect(plan.steps.map((step) => step.do)).toEqual(['remove']);
  });

  test('is void when a person changed something', () => {
    const plan = decideOrder(seen({ acme }, { pace: pace({ obstacle }), changes: 1 }), now);
    expect(plan.steps.map((step) => step.do)).toEqual(['poll-order']);
  });
});

test('an Order that ran out of time says what the self check saw last', () => {
  const evidence = { verdict: 'missing', summary: 'ns2 lacks the value.' } as ChallengeStatus['evidence'] & object;
  const what = seen({ acme, challenges: [challenge('presented', { expiresAt: now, evidence })] });
  const [step] = decideOrder(what, now).steps;
  expect(step).toMatchObject({ do: 'fail', problem: { reason: 'SelfCheckTimedOut' } });
  expect(step?.do === 'fail' && step.problem.message).toContain('ns2 lacks the value.');
});
