import type { DenialRequest, Finding } from '@zoneproof/core';
import { toDnsName } from '@zoneproof/dns';
import type { Issuer } from '../resources/types.ts';
import type { SeenOrder } from './order-decide.ts';
import { newPace } from './order-pace.ts';
import { refuseForbidden } from './order-preflight.ts';
import type { Problem } from './problem.ts';
import type { Services } from './services.ts';

const server = 'https://ca.example/directory';
const accountURL = 'https://ca.example/acct/1';
const caa = { id: 'caa', result: 'failed', detail: 'www.example.com: denied.' } as Finding;
const dnssec = { id: 'dnssec', result: 'failed', detail: 'example.com: broken.' } as Finding;

function prepare(answer: readonly Finding[] | 'silent', identities: readonly string[] = ['ca.example']) {
  const asked: DenialRequest[] = [];
  const issuer = {
    spec: { acme: { server } },
    status: { acme: { accountURL, server, keyThumbprint: 't' } },
    metadata: { name: 'i', namespace: 'default' },
  } as unknown as Issuer;
  const stop = new AbortController();
  const services = {
    store: { get: () => issuer },
    sessions: {
      open: async () => ({
        key: { thumbprint: 't' },
        acme: { directory: async () => ({ meta: { caaIdentities: identities } }) },
      }),
    },
    preflightOf: () => ({
      denials: async (request: DenialRequest, signal: AbortSignal) => {
        asked.push(request);
        if (answer !== 'silent') return answer;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    }),
    signal: stop.signal,
  } as unknown as Services;
  const pace = newPace();
  const location = { zone: 'example.com' };
  pace.routes.set(toDnsName('www.example.com'), { location } as never);
  const order = {
    metadata: { namespace: 'default', name: 'o' },
    spec: { dnsNames: ['www.example.com'], issuerRef: { kind: 'Issuer', name: 'i' } },
    status: {},
  };
  const seen = {
    order,
    pace,
    issuer: 'ready',
    hasProviders: true,
    claims: new Map(),
    changes: 0,
  } as unknown as SeenOrder;
  return { refuse: () => refuseForbidden(seen, services), asked, stop, location };
}

test('a record that forbids is told with its reason, to be looked at again every minute', async () => {
  const { refuse, asked, location } = prepare([caa, dnssec]);
  const problem = await refuse().then(
    () => undefined,
    (error: Problem) => error,
  );
  expect(problem).toMatchObject({
    reason: 'CAAForbids',
    cure: 'change',
    message: 'www.example.com: denied. example.com: broken.',
  });
  expect(asked).toEqual([
    {
      names: ['www.example.com'],
      caaIdentities: ['ca.example'],
      accountUrl: accountURL,
      locations: new Map([['www.example.com', location]]),
    },
  ]);
});

test('broken DNSSEC has a reason of its own', async () => {
  await expect(prepare([dnssec]).refuse()).rejects.toMatchObject({ reason: 'DNSSECBroken', cure: 'change' });
});

test('nothing forbids it: the order is placed', async () => {
  await expect(prepare([]).refuse()).resolves.toBeUndefined();
});

test('a CA without names for CAA is not second-guessed', async () => {
  const { refuse, asked } = prepare([caa], []);
  await refuse();
  expect(asked).toEqual([]);
});

test('what takes longer than a second does not hold the order', async () => {
  const { refuse, asked } = prepare('silent');
  await expect(refuse()).resolves.toBeUndefined();
  expect(asked).toHaveLength(1);
});

test('a stop of the controller is no answer', async () => {
  const { refuse, stop } = prepare('silent');
  const refusing = refuse();
  setImmediate(() => stop.abort(new Error('stopped')));
  await expect(refusing).rejects.toThrow('stopped');
});
