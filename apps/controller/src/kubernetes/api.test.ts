import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { systemClock, systemRandom, systemTimers, type Timers } from '@zoneproof/core';
import { connectKubeApi, type KubeApi } from './api.ts';
import { KubeApiError } from './api-error.ts';
import { KubeConfigError } from './kube-config.ts';
import { type ApiDouble, startApiDouble } from './testing/api-double.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: ApiDouble;
let api: KubeApi;
/** Answers in turn; the last one stays. */
let answers: Answer[];

const quick: Timers = { ...systemTimers, setTimeout: (run, ms) => systemTimers.setTimeout(run, ms / 50) };
const inputs = { clock: systemClock, timers: quick, random: systemRandom, userAgent: 'zoneproof/test' };
const get = (path = '/api/v1/things/x') => api.request({ method: 'GET', path });
const post = () => api.request({ method: 'POST', path: '/api/v1/things', body: { a: 1 } });
const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refuse = (code: number, reason: string, message = 'no') => json(code, { kind: 'Status', code, reason, message });
const lose: Answer = (request) => request.socket.destroy();
const failure = async (request: Promise<unknown>): Promise<KubeApiError> => {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KubeApiError);
  return error as KubeApiError;
};

beforeEach(async () => {
  answers = [json(200, { ok: true })];
  server = await startApiDouble((request, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(request, response);
  });
  api = await connectKubeApi({ ...inputs, kubeconfig: server.kubeconfig });
});
afterEach(async () => {
  api.close();
  await server.close();
});

test('requests go to the server of the context, below its path, as its user, over one connection', async () => {
  expect(api.namespace).toBe('here');
  for (let round = 0; round < 3; round++) expect(await get()).toEqual({ ok: true });
  expect(server.requests[0]).toMatchObject({
    line: 'GET /prefix/api/v1/things/x',
    headers: { authorization: 'Bearer token-1', 'user-agent': 'zoneproof/test', accept: 'application/json' },
  });
  expect(server.connections()).toBe(1);
});

test('a refused token is read again, once', async () => {
  await get();
  await writeFile(join(server.directory, 'token'), 'token-2');
  answers = [refuse(401, 'Unauthorized'), json(200, { ok: true })];
  expect(await get()).toEqual({ ok: true });
  expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  answers = [refuse(401, 'Unauthorized')];
  expect(await failure(get())).toMatchObject({ status: 401, reason: 'Unauthorized' });
});

test.each([
  ['a GET whose answer was lost', () => get(), lose],
  ['a GET that met an error of the server', () => get(), refuse(500, 'InternalError')],
  ['a write that was one too many', () => post(), refuse(429, 'TooManyRequests')],
])('%s is repeated', async (_title, send, fault) => {
  answers = [fault, fault, json(200, { ok: true })];
  expect(await send()).toEqual({ ok: true });
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['whose answer was lost', lose, 0],
  ['that met an error of the server', refuse(500, 'InternalError'), 500],
])('a write %s is not repeated: it may have been done', async (_title, fault, status) => {
  answers = [fault];
  expect(await failure(post())).toMatchObject({ status, unknownOutcome: true });
  expect(server.requests).toHaveLength(1);
});

test('the pause that the server asks for is kept, and told when it is too long to wait', async () => {
  const at: number[] = [];
  answers = [json(429, { reason: 'TooManyRequests' }, { 'retry-after': '10' }), json(200, {})];
  at.push(Date.now());
  await get();
  at.push(Date.now());
  expect((at[1] as number) - (at[0] as number)).toBeGreaterThanOrEqual(10_000 / 50);
  answers = [json(429, { reason: 'TooManyRequests' }, { 'retry-after': '3600' })];
  expect(await failure(get())).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
});

test('one try is one try: for a lease nobody repeats', async () => {
  answers = [refuse(429, 'TooManyRequests')];
  await failure(api.request({ method: 'GET', path: '/lease', retry: false }));
  expect(server.requests).toHaveLength(1);
});

test('right after trouble a refusal is asked again; without trouble it is one', async () => {
  answers = [refuse(403, 'Forbidden')];
  expect(await failure(get())).toMatchObject({ status: 403, reason: 'Forbidden' });
  expect(server.requests).toHaveLength(1);
  answers = [lose, refuse(403, 'Forbidden'), json(200, { ok: true })];
  expect(await get()).toEqual({ ok: true });
});

test('who may not write any more is stopped before the first byte', async () => {
  const beforeSend = () => {
    throw new Error('the lease is lost');
  };
  await expect(api.request({ method: 'PUT', path: '/x', body: {}, beforeSend })).rejects.toThrow('the lease is lost');
  expect(server.requests).toHaveLength(0);
  expect(await get()).toEqual({ ok: true });
});

test('what is stopped ends at once, also while it waits', async () => {
  answers = [() => undefined];
  const abort = new AbortController();
  const asked = Array.from({ length: 40 }, () =>
    api.request({ method: 'GET', path: '/slow', signal: abort.signal, timeoutMs: 60_000 }),
  );
  abort.abort(new Error('stopped'));
  for (const result of await Promise.allSettled(asked))
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } });
});

test('an error is one line, tells request and reason, and holds neither token nor content', async () => {
  answers = [refuse(422, 'Invalid', 'data.token: Invalid value: "hunter2"')];
  const about = await failure(
    api.request({ method: 'POST', path: '/api/v1/namespaces/a/secrets', body: { data: 'hunter2' } }),
  );
  expect(about.message).toBe('The API server answered POST /api/v1/namespaces/a/secrets with 422 Invalid');
  answers = [refuse(403, 'Forbidden', 'User "x" cannot get\nthings')];
  const refused = await failure(get());
  expect(refused.message).toBe(
    'The API server answered GET /api/v1/things/x with 403 Forbidden: User "x" cannot get things',
  );
  answers = [lose];
  const lost = await failure(api.request({ method: 'POST', path: '/x', body: { token: 'hunter2' } }));
  expect(inspect([about, refused, lost], { depth: 9 })).not.toMatch(/hunter2|token-1/);
});

test('an answer that is no JSON is told as one that did not come', async () => {
  answers = [(_request, response) => response.end('<html>proxy</html>')];
  expect(await failure(api.request({ method: 'GET', path: '/x', retry: false }))).toMatchObject({
    status: 0,
    message: expect.stringContaining('something that is no JSON'),
  });
});

describe('a watch', () => {
  const signal = new AbortController().signal;
  const events = async (idleMs = 60_000): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for await (const event of api.watch({ path: '/w', query: { watch: 'true' }, signal, idleMs })) seen.push(event);
    return seen;
  };

  test('comes line by line, wherever the parts of the answer begin and end', async () => {
    answers = [
      (_request, response) => {
        response.writeHead(200);
        for (const part of ['{"n":1}\n{"n', '":2}\n', '{"text":"ü', '"}\n\n']) response.write(part);
        response.end();
      },
    ];
    expect(await events()).toEqual([{ n: 1 }, { n: 2 }, { text: 'ü' }]);
  });

  test.each([
    ['is refused', refuse(410, 'Expired'), { status: 410, reason: 'Expired' }],
    ['breaks off', lose, { status: 0 }],
    [
      'falls silent',
      (_, response) => response.writeHead(200).flushHeaders(),
      { message: expect.stringContaining('silent') },
    ],
    ['says nonsense', (_, response) => response.end('{"n":\n'), { message: expect.stringContaining('no JSON') }],
  ] as readonly (readonly [string, Answer, object])[])('that %s is an error', async (_title, answer, expected) => {
    answers = [answer];
    expect(await failure(events(100))).toMatchObject(expected);
  });
});

test.each([
  [
    'a file that is not there',
    { kubeconfig: '/nowhere/config' },
    /kubeconfig \/nowhere\/config cannot be read: .* Give another by --kubeconfig/,
  ],
  ['a context that is not there', { context: 'other' }, /no context "other"\. It has: test/],
])('%s is told before anything is sent', async (_title, options, message) => {
  const connected = connectKubeApi({ ...inputs, kubeconfig: server.kubeconfig, ...options });
  await expect(connected).rejects.toThrow(KubeConfigError);
  await expect(connected).rejects.toThrow(message);
});
