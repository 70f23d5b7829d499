import { AcmeProtocolError, createCertificateKey } from '@zoneproof/acme';
import { type Evidence, type LedgerEntry, ProviderError, type SelfCheck, type Sighting } from '@zoneproof/core';
import type { DnsName } from '@zoneproof/dns';
import type { ChallengeStatus, Issuer, Order, OrderStatus } from '../resources/types.ts';
import { downloadCertificate, finalizeOrder } from './order-ca.ts';
import { decideOrder, type SeenOrder } from './order-decide.ts';
import { lookAndRespond } from './order-look.ts';
import { endWatches, newPace } from './order-pace.ts';
import { publishValues } from './order-publish.ts';
import { removeValues } from './order-values.ts';
import { findRoute, type Route } from './route.ts';
import type { Services } from './services.ts';

const account = { accountURL: 'a', server: 'ca', keyThumbprint: 't' };
const issuer = { metadata: { name: 'ca' }, spec: { acme: { server: 'ca' } }, status: { acme: account } };
const challenge = { authorizationURL: 'a1', domain: 'a.example', value: 'v1', step: 'new' } as ChallengeStatus;
const location = { target: '_acme-challenge.a.example', name: '_acme-challenge.a.example', zone: 'a.example' };

/** One Order in fakes of all that is around it. */
function prepare(status: OrderStatus, parts: object, metadata: object = {}) {
  let order = {
    kind: 'Order',
    metadata: { namespace: 'd', name: 'www-1', generation: 1, ...metadata },
    spec: { issuerRef: { kind: 'Issuer', name: 'ca' }, dnsNames: ['a.example'] },
    status,
  } as unknown as Order;
  const told: string[] = [];
  const writes = { count: 0 };
  const services = {
    store: {
      get: (kind: string) => (kind === 'Order' ? order : issuer),
      updateStatus: async (...[, , , change]: Parameters<Services['store']['updateStatus']>) => {
        writes.count++;
        order = { ...order, status: change(order as never) as OrderStatus };
      },
    },
    clock: { now: () => 1_000 },
    run: (_name: string, effect: () => Promise<unknown>) => effect(),
    report: ({ message }: { readonly message: string }) => told.push(message),
    signal: new AbortController().signal,
    ...parts,
  } as unknown as Services;
  const pace = newPace();
  pace.routes.set(
    'a.example' as DnsName,
    {
      location,
      provider: { account: 'x', block: { name: 'p' }, capabilities: { model: 'rrset' } },
      zone: { id: 'z', name: 'a.example' },
    } as unknown as Route,
  );
  const seen = (): SeenOrder => ({ order, pace, issuer: 'ready', hasProviders: true, claims: new Map(), changes: 0 });
  return { seen, services, told, writes };
}

const sessionsOf = (acme: object) => ({ open: async () => ({ key: { thumbprint: 't' }, acme }) });

test('a look that sees the same in another time is neither stored nor told again', async () => {
  let rttMs = 10;
  const watch = (): Sighting => {
    rttMs++;
    const server = { server: 'ns1', address: '192.0.2.1', finding: 'lacks', transport: 'udp', rttMs };
    const seen = { verdict: 'missing', at: rttMs, summary: `ns1 lacks it, ${rttMs} ms`, servers: [server] };
    return { state: 'waiting', evidence: seen as unknown as Evidence };
  };
  const { seen, services, told, writes } = prepare(
    { challenges: [challenge] },
    { sessions: sessionsOf({}), selfCheckOf: () => ({ watch }) },
  );
  for (let looks = 0; looks < 3; looks++) await lookAndRespond(seen().order.status.challenges ?? [], seen(), services);
  expect(told).toEqual(['ns1 lacks it, 11 ms']);
  expect(writes.count).toBe(1);
});

test('news of the self check wake the Order, and its watches end with it', async () => {
  const wanted: Parameters<SelfCheck['watch']>[0][] = [];
  const ended: string[] = [];
  const woken: string[] = [];
  const watch = (one: (typeof wanted)[number]): Sighting => {
    wanted.push(one);
    return { state: 'waiting' };
  };
  const { seen, services, writes } = prepare(
    { challenges: [challenge] },
    {
      sessions: sessionsOf({}),
      selfCheckOf: () => ({ watch, unwatch: (key: string) => ended.push(key) }),
      wake: (key: string) => woken.push(key),
    },
  );
  const now = seen();
  await lookAndRespond(now.order.status.challenges ?? [], now, services);
  expect(wanted).toMatchObject([{ key: 'd/www-1 _acme-challenge.a.example', values: ['v1'], location }]);
  expect(now.pace.nextLookAt).toBe(16_000);
  expect(writes.count).toBe(0);
  wanted[0]?.changed();
  expect(now.pace.nextLookAt).toBe(0);
  expect(woken).toEqual(['Order/d/www-1']);
  endWatches(now.pace);
  expect(ended).toEqual(['d/www-1 _acme-challenge.a.example']);
});

test('an order that says ready after it was finalized is asked again later, not finalized again at once', async () => {
  const keyPem = await createCertificateKey({ algorithm: 'ECDSA' });
  const acme = { finalize: async () => ({ status: 'ready', finalizeUrl: 'f' }) };
  const known = { orderURL: 'o', finalizeURL: 'f', status: 'ready' } as const;
  const validated = { ...challenge, step: 'validated' } as const;
  const { seen, services } = prepare({ acme: known, challenges: [validated] }, { sessions: sessionsOf(acme) });
  const before = seen();
  before.pace.keyPem = Buffer.from(keyPem);
  await finalizeOrder(before, services);
  expect(decideOrder(before, 1_000)).toMatchObject({ steps: [], wakeAt: before.pace.nextPollAt });
});

test('a certificate that is not at its URL ends the Order instead of being asked for without end', async () => {
  const acme = {
    certificate: async () => {
      throw new AcmeProtocolError('https://ca.test/cert/1', 'https://ca.test/cert/1 answered POST with HTTP 404', {
        httpStatus: 404,
      });
    },
  };
  const status = { acme: { status: 'valid', certificateURL: 'https://ca.test/cert/1' } } as unknown as OrderStatus;
  const { seen, services } = prepare(status, { sessions: sessionsOf(acme) });
  await expect(downloadCertificate(seen(), services)).rejects.toMatchObject({
    reason: 'CAProtocolError',
    cure: 'final',
  });
});

test('a write that its own deadline ended says so, and not that somebody stopped it', async () => {
  const error = new ProviderError({ kind: 'aborted', message: 'p: waiting for a write to zone a.example was stopped' });
  const { seen, services } = prepare({}, { writer: { write: async () => [{ status: 'failed', error }] } });
  const writing = publishValues([challenge], seen(), services);
  await expect(writing).rejects.toMatchObject({ reason: 'ProviderUnavailable', cure: 'retry' });
  await expect(writing).rejects.toThrow('after 60 s');
});

test('values that cannot be removed are let go after ten tries, however long ago the Order was deleted', async () => {
  const entry = {
    id: 'e1',
    account: 'x',
    zone: { id: 'z' },
    provider: { issuer: 'i', name: 'p' },
    name: 'n',
    value: 'v',
  };
  const gone = { ...entry, id: 'e2', value: 'removed meanwhile' };
  const error = new ProviderError({ kind: 'auth', message: 'p: Secret d/token does not exist' });
  const settled: (readonly string[])[] = [];
  let removal: Promise<void> | undefined;
  const { seen, services, told } = prepare(
    { ledger: [entry] } as unknown as OrderStatus,
    {
      random: (length: number) => new Uint8Array(length),
      writer: { write: async () => [{ status: 'failed', error }] },
      sessions: { providerOf: async () => ({}) },
      ledger: { settle: async (ids: readonly string[]) => settled.push(ids) },
      clock: { now: () => 9_000_000 },
      inBackground: (_key: string, work: () => Promise<void>) => {
        removal = work();
      },
    },
    { deletedAt: 1_000 },
  );
  const entries = [entry, gone] as unknown as LedgerEntry[];
  for (let tries = 1; tries <= 10; tries++) {
    expect(settled).toEqual([]);
    await removeValues(entries, seen(), services);
    await removal;
  }
  expect(settled).toEqual([['e1']]);
  expect(told.at(-1)).toContain('remove them by hand: n TXT "v". p: Secret d/token');
});

test('while the provider of a delegated zone is out of reach, its value does not go to the zone above', async () => {
  const provider = (name: string) => ({ spec: { name }, bound: { block: { name }, capabilities: { model: 'rrset' } } });
  const { seen, services } = prepare(
    {},
    {
      selfCheckOf: () => ({ locate: async () => ({ ...location, zone: 'a.example' }) }),
      sessions: {
        providers: async () => [provider('parent'), provider('child')],
        findZone: async (bound: { readonly block: { readonly name: string } }) => {
          if (bound.block.name === 'parent') return { id: 'z', name: 'example' };
          throw new ProviderError({ kind: 'unavailable', message: 'child: no answer' });
        },
      },
    },
  );
  const { order } = seen();
  const found = findRoute('a.example' as DnsName, order, issuer as unknown as Issuer, services, services.signal);
  await expect(found).rejects.toMatchObject({ reason: 'ProviderUnavailable' });
});
