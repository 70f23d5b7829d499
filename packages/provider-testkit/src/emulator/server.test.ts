import { createEgress, type Egress } from '@zoneproof/core';
import { type EmulatedApi, type EmulatorServer, type Fault, startEmulatorServer } from './index.ts';

/** An API with a counter: GET /count tells it, POST /count adds one. */
function counter(): EmulatedApi & { count: number } {
  return {
    count: 0,
    actionOf: ({ method }) => (method === 'GET' ? 'GetCount' : 'AddOne'),
    isWrite: (action) => action === 'AddOne',
    answer({ method, query, headers, body }, { pretend }) {
      if (method !== 'GET' && !pretend) this.count++;
      return {
        status: 200,
        body: { count: this.count, of: query.get('of'), type: headers['x-type'], text: body.toString() },
      };
    },
    throttled: (seconds) => ({
      status: 429,
      headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
      body: { error: 'too many' },
    }),
    unavailable: () => ({ status: 503, body: { error: 'down' } }),
  };
}

let api: ReturnType<typeof counter>;
let emulator: EmulatorServer;
let egress: Egress;

beforeEach(async () => {
  api = counter();
  emulator = await startEmulatorServer(api);
  egress = createEgress({ caBundle: emulator.caBundle });
});

afterEach(async () => {
  await egress.close();
  await emulator.close();
});

const ask = (method: 'GET' | 'POST', timeoutMs = 5000) =>
  egress.http({
    method,
    url: `${emulator.origin}/count?of=all`,
    headers: { 'X-Type': 'plain' },
    ...(method === 'POST' && { body: 'one more' }),
    timeoutMs,
  });
const statusOf = async (method: 'GET' | 'POST'): Promise<number | string> =>
  ask(method).then(
    ({ status }) => status,
    (error: { readonly kind: string; readonly sent: boolean }) => `${error.kind}, sent ${error.sent}`,
  );

test('a request arrives whole, is answered, and is kept for counting', async () => {
  const { status, headers, body } = await ask('POST');
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ count: 1, of: 'all', type: 'plain', text: 'one more' });
  expect(emulator.seen).toEqual([{ method: 'POST', target: '/count?of=all', action: 'AddOne', status: 200 }]);
});

test('its certificate is from a CA of its own, which nobody else trusts', async () => {
  const other = await startEmulatorServer(counter());
  const stranger = createEgress({ caBundle: other.caBundle });
  await expect(stranger.http({ method: 'GET', url: emulator.origin })).rejects.toMatchObject({ kind: 'tls' });
  await stranger.close();
  await other.close();
});

test.each<[Fault, answered: number | string, seen: number, count: number]>([
  [{ kind: 'throttled' }, 429, 429, 0],
  [{ kind: 'server-error' }, 503, 503, 0],
  [{ kind: 'html', status: 502 }, 502, 502, 0],
  [{ kind: 'reset' }, 'reset, sent true', 0, 0],
  [{ kind: 'lose-answer' }, 'reset, sent true', 0, 1],
  [{ kind: 'slow', ms: 1 }, 200, 200, 1],
  [{ kind: 'pretend' }, 200, 200, 0],
  [{ kind: 'change-answer', change: (answer) => ({ ...answer, status: 207 }) }, 207, 207, 1],
])('%j meets one request', async (fault, answered, seen, count) => {
  emulator.fail(fault);
  expect(await statusOf('POST')).toBe(answered);
  expect(emulator.seen.map(({ status }) => status)).toEqual([seen]);
  expect(api.count).toBe(count);
  expect(await statusOf('POST')).toBe(200);
});

test('a throttled answer has Retry-After where the fault says so', async () => {
  emulator.fail({ kind: 'throttled', retryAfterSeconds: 7 });
  expect((await ask('GET')).headers['retry-after']).toBe('7');
});

test('before lets somebody else act first', async () => {
  emulator.fail({
    kind: 'before',
    run() {
      api.count = 41;
    },
  });
  await ask('POST');
  expect(api.count).toBe(42);
});

test('a fault meets what it is set for, as often as it says, until it is taken back', async () => {
  emulator.fail({ kind: 'server-error', on: 'write' });
  emulator.fail({ kind: 'html', status: 502, on: { action: 'GetCount' }, times: 2 });
  expect([await statusOf('GET'), await statusOf('POST'), await statusOf('GET'), await statusOf('GET')]).toEqual([
    502, 503, 502, 200,
  ]);
  const undo = emulator.fail({ kind: 'throttled', on: 'read', times: Number.POSITIVE_INFINITY });
  expect([await statusOf('GET'), await statusOf('POST'), await statusOf('GET')]).toEqual([429, 200, 429]);
  undo();
  expect(await statusOf('GET')).toBe(200);
});

test('closing does not wait for a slow answer', async () => {
  emulator.fail({ kind: 'slow', ms: 600_000 });
  const answer = statusOf('POST');
  while (emulator.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await emulator.close();
  expect(await answer).toBe('reset, sent true');
});
