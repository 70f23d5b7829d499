import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type AccountKey, generateAccountKey } from './account-key.ts';
import { type AcmeClient, type AcmeClientOptions, createAcmeClient } from './client.ts';
import { AcmeProtocolError, AcmeUnavailableError } from './errors.ts';
import type { HttpAnswer, HttpClient } from './http.ts';
import { AcmeProblem } from './problem.ts';
import { FakeCa, problem } from './testing/fake-ca.ts';
import { loopbackHttp } from './testing/wire.ts';

const signal = new AbortController().signal;
let ca: FakeCa;
let key: AccountKey;

beforeEach(async () => {
  ca = await FakeCa.start();
  ({ key } = await generateAccountKey());
  ca.accounts.set(`${ca.base}/acct/1`, key.jwk);
});
afterEach(async () => {
  await ca.close();
  expect(ca.violations).toEqual([]);
});

function client(o: Partial<AcmeClientOptions> = {}): AcmeClient {
  return createAcmeClient({
    directoryUrl: ca.directoryUrl,
    http: loopbackHttp,
    key,
    accountUrl: `${ca.base}/acct/1`,
    wait: async () => {},
    ...o,
  });
}

const read = (acme: AcmeClient) => acme.order(`${ca.base}/order/1`, signal);
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
const fetched = () => ca.seen.filter(({ path }) => path.endsWith('nonce')).length;

// ------------------------------------------------------------------ nonces

test('RFC 8555 6.5: nonces come from every answer; newNonce is asked once, not before each request', async () => {
  const acme = client();
  for (let i = 0; i < 5; i++) await read(acme);
  // The directory's own nonce was the first.
  expect(ca.paths()).toEqual(['GET /dir', ...Array(5).fill('POST /order/1')]);
});

test('RFC 8555 7.2: without a nonce in hand, GET newNonce gives one', async () => {
  ca.once('/dir', { ...directoryWith({}), nonce: false });
  await read(client());
  expect(ca.paths()).toEqual(['GET /dir', 'GET /nonce', 'POST /order/1']);
});

test('RFC 8555 6.5: the nonce of a refusal is used too, newest first', async () => {
  const acme = client();
  ca.once('/order/1', problem('unauthorized', 403));
  await rejection(read(acme));
  await read(acme);
  expect(fetched()).toBe(0);
});

test('RFC 8555 6.5: concurrent requests never share a nonce; each that finds none asks for its own', async () => {
  const acme = client();
  await Promise.all(Array.from({ length: 8 }, () => read(acme)));
  const nonces = ca.seen.flatMap(({ nonce }) => nonce ?? []);
  expect(new Set(nonces).size).toBe(8);
  expect(fetched()).toBe(7);
  await Promise.all(Array.from({ length: 8 }, () => read(acme)));
  expect(fetched()).toBe(7);
});

test('RFC 8555 6.5.1: a Replay-Nonce that is not base64url is ignored', async () => {
  ca.once('/dir', { ...directoryWith({}), nonce: false, headers: { 'replay-nonce': 'not+base64/url=' } });
  await read(client());
  expect(ca.paths()).toEqual(['GET /dir', 'GET /nonce', 'POST /order/1']);
});

test('RFC 8555 6.5: badNonce is answered at once by the same payload under the nonce of that refusal', async () => {
  const given: (string | undefined)[] = [];
  const http: HttpClient = async (request) => {
    const answer = await loopbackHttp(request);
    given.push(answer.headers['replay-nonce'] as string);
    return answer;
  };
  ca.rejectNonces = 3;
  const order = await client({ http }).newOrder({ names: ['example.com'] }, signal);
  expect(order.status).toBe('pending');
  const tries = ca.seen.filter(({ path }) => path === '/order');
  expect(new Set(tries.map(({ payload }) => payload)).size).toBe(1);
  expect(tries.map(({ nonce }) => nonce)).toEqual(given.slice(0, 4));
  expect(fetched()).toBe(0);
});

test('RFC 8555 6.5: after 10 refused nonces the pool is dropped, and after a pause a fresh one is fetched', async () => {
  ca.rejectNonces = 11;
  const pauses: number[] = [];
  const acme = client({ wait: async (ms) => void pauses.push(ms) });
  expect((await read(acme)).status).toBe('pending');
  expect(pauses).toEqual([1000]);
  expect(ca.paths().filter((path) => path !== 'POST /order/1')).toEqual(['GET /dir', 'GET /nonce']);
});

test('RFC 8555 6.5: a CA that refuses every nonce ends in a badNonce problem, not in a loop', async () => {
  ca.rejectNonces = Number.POSITIVE_INFINITY;
  expect(await rejection(read(client()))).toMatchObject({ type: 'badNonce', disposition: 'retry' });
  expect(ca.paths().filter((path) => path === 'POST /order/1')).toHaveLength(22);
});

// ------------------------------------------------------------------ requests

test('RFC 8555 6.1: every request names the program and its HTTP library, and the language', async () => {
  await read(client({ userAgent: 'zoneproof/1.2.3 undici/7' }));
  for (const { headers } of ca.seen) {
    expect(headers).toMatchObject({ 'user-agent': 'zoneproof/1.2.3 undici/7', 'accept-language': 'en' });
  }
});

test('RFC 8555 6.3: reads are POST-as-GET with an empty payload, never a GET and never {}', async () => {
  const acme = client();
  await acme.account(signal);
  await acme.order(`${ca.base}/order/1`, signal);
  await acme.authorization(`${ca.base}/authz/0`, signal);
  const posts = ca.seen.filter(({ method }) => method === 'POST');
  expect(posts.map(({ path, payload }) => [path, payload])).toEqual([
    ['/acct/1', ''],
    ['/order/1', ''],
    ['/authz/0', ''],
  ]);
});

test('RFC 8555 6.4: url is signed as the CA wrote it, not normalised', async () => {
  const odd = `${ca.base}/order/%7Eone?b=2&a=1`;
  ca.always('/order/%7Eone?b=2&a=1', {
    json: { status: 'ready', authorizations: [], finalize: `${ca.base}/finalize` },
  });
  await client().order(odd, signal);
  expect(ca.last('/order/%7Eone?b=2&a=1').header.url).toBe(odd);
});

test('a request that was aborted ends with the reason of its signal', async () => {
  const abort = new AbortController();
  ca.always('/order/1', async () => {
    abort.abort(new Error('shutting down'));
    return {};
  });
  await expect(client().order(`${ca.base}/order/1`, abort.signal)).rejects.toThrow('shutting down');
});

// ------------------------------------------------------------------ directory

test('RFC 8555 7.1.1: the directory is read once a day at most, and its unknown members are left out', async () => {
  let now = Date.parse('2026-11-21T00:00:00Z');
  const acme = client({ clock: { now: () => now } });
  const directory = await acme.directory(signal);
  expect(directory).toEqual({
    newNonce: `${ca.base}/nonce`,
    newAccount: `${ca.base}/acct`,
    newOrder: `${ca.base}/order`,
    revokeCert: `${ca.base}/revoke`,
    keyChange: `${ca.base}/key-change`,
    renewalInfo: `${ca.base}/renewal-info`,
    meta: {
      termsOfService: `${ca.base}/terms`,
      caaIdentities: ['ca.example'],
      externalAccountRequired: false,
      profiles: { short: 'six days' },
    },
  });
  now += 24 * 3600_000 - 1;
  await acme.directory(signal);
  expect(ca.paths()).toEqual(['GET /dir']);
  now += 1;
  await acme.directory(signal);
  expect(ca.paths()).toEqual(['GET /dir', 'GET /dir']);
});

test('one fetch of the directory serves all who wait; an aborted waiter leaves the others alone', async () => {
  const acme = client();
  const abort = new AbortController();
  ca.once('/dir', async () => {
    abort.abort(new Error('gone'));
    return directoryWith({});
  });
  const impatient = rejection(acme.directory(abort.signal));
  const others = Array.from({ length: 20 }, () => acme.directory(signal));
  expect(await impatient).toEqual(new Error('gone'));
  for (const each of await Promise.all(others)) expect(each.newOrder).toBe(`${ca.base}/order`);
  expect(ca.paths()).toEqual(['GET /dir']);
});

test.each([404, 405])('RFC 8555 7.1.1: a resource that answers %d has the directory read again', async (status) => {
  const acme = client();
  await acme.directory(signal);
  ca.always('/order', { status });
  ca.always('/dir', directoryWith({ newOrder: `${ca.base}/moved` }));
  ca.always('/moved', {
    status: 201,
    headers: { location: `${ca.base}/order/9` },
    json: { status: 'pending', authorizations: [], finalize: `${ca.base}/finalize` },
  });
  expect((await acme.newOrder({ names: ['example.com'] }, signal)).url).toBe(`${ca.base}/order/9`);
});

test('RFC 8555 7.1.1: newNonce that moved is found again through the directory', async () => {
  const acme = client();
  ca.once('/dir', { ...directoryWith({ newNonce: `${ca.base}/old-nonce` }), nonce: false });
  ca.once('/dir', { ...directoryWith({}), nonce: false });
  await read(acme);
  expect(ca.paths()).toEqual(['GET /dir', 'GET /old-nonce', 'GET /dir', 'GET /nonce', 'POST /order/1']);
});

test.each([
  ['a web page', { text: '<html>welcome</html>', type: 'text/html' }],
  ['other JSON', { json: { newNonce: 'https://x/' } }],
  ['broken JSON', { text: '{', type: 'application/json' }],
])('a directory URL that answers with %s is named as no ACME directory', async (_what, reply) => {
  ca.always('/dir', reply);
  const error = await rejection(client().directory(signal));
  expect(error).toBeInstanceOf(AcmeProtocolError);
  expect((error as Error).message).toMatch(/is no ACME directory.*Check the server URL/);
});

test('redirects are not followed; the message names where they lead', async () => {
  ca.always('/dir', { status: 301, headers: { location: 'https://elsewhere.example/dir' } });
  await expect(client().directory(signal)).rejects.toThrow(
    /redirects \(HTTP 301\) to https:\/\/elsewhere\.example\/dir; .* Use that URL itself/,
  );
});

// ------------------------------------------------------------------ URLs inside answers

test.each([['http://ca.example/order/1'], ['http://169.254.169.254/latest'], ['file:///etc/passwd'], ['not a url']])(
  'a CA with an https directory cannot lead to %s',
  async (url) => {
    const asked: string[] = [];
    const http: HttpClient = async (request) => {
      asked.push(request.url);
      return answer(404);
    };
    const acme = client({ directoryUrl: 'https://ca.example/dir', http });
    const error = await rejection(acme.authorization(url, signal));
    expect(error).toBeInstanceOf(AcmeProtocolError);
    expect((error as Error).message).toContain('not https');
    expect(asked).not.toContain(url);
  },
);

test('a CA with an https directory may name other https hosts', async () => {
  const asked: string[] = [];
  const http: HttpClient = async ({ url }) => {
    asked.push(url);
    if (url.endsWith('/dir')) return answer(200, { newNonce: 'x', newAccount: 'x', newOrder: 'x' }, 'abc');
    return answer(200, { status: 'pending', identifier: { type: 'dns', value: 'a.example' } }, 'abd');
  };
  const acme = client({ directoryUrl: 'https://ca.example/dir', http, accountUrl: 'https://ca.example/acct/1' });
  expect((await acme.authorization('https://other.example/authz', signal)).status).toBe('pending');
  expect(asked).toEqual(['https://ca.example/dir', 'https://other.example/authz']);
});

// ------------------------------------------------------------------ refusals

test('RFC 8555 6.7: a refusal is a typed problem with its subproblems, help and Retry-After', async () => {
  ca.always('/order', {
    ...problem('rateLimited', 429, 'too many certificates already issued', {
      subproblems: [
        {
          type: 'urn:ietf:params:acme:error:caa',
          detail: 'CAA forbids',
          identifier: { type: 'dns', value: 'b.example' },
        },
      ],
    }),
    headers: {
      'retry-after': '120',
      link: [`<${ca.directoryUrl}>;rel="index"`, '<https://ca.example/limits>;rel="help"'],
    },
  });
  const error = await rejection(client().newOrder({ names: ['a.example', 'b.example'] }, signal));
  expect(error).toBeInstanceOf(AcmeProblem);
  expect(error).toMatchObject({
    type: 'rateLimited',
    httpStatus: 429,
    detail: 'too many certificates already issued',
    disposition: 'retry-after',
    retryAfterMs: 120_000,
    helpUrl: 'https://ca.example/limits',
    subproblems: [{ type: 'caa', detail: 'CAA forbids', identifier: 'b.example' }],
    message:
      'The CA refused (rateLimited, HTTP 429): too many certificates already issued [b.example: CAA forbids] ' +
      'Retry-After 120 s. See https://ca.example/limits',
  });
});

test('RFC 8555 6.6: a Retry-After date counts from the clock of the client', async () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  ca.always('/order', {
    ...problem('rateLimited', 429),
    headers: { 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' },
  });
  const error = await rejection(client({ clock: { now: () => now } }).newOrder({ names: ['a.example'] }, signal));
  expect(error).toMatchObject({ retryAfterMs: 90_000, disposition: 'retry-after' });
});

test('a paused name (rateLimited without Retry-After) needs a person, and the text keeps the link that unpauses', async () => {
  const detail =
    'Your account is temporarily prevented from requesting certificates for a.example. Visit https://u.example/x';
  ca.always('/order', problem('rateLimited', 429, detail));
  const error = await rejection(client().newOrder({ names: ['a.example'] }, signal));
  expect(error).toMatchObject({ disposition: 'needs-human', detail });
  expect(error).not.toHaveProperty('retryAfterMs');
});

test('RFC 8555 7.3.3: userActionRequired shows where to go and which terms to agree to', async () => {
  ca.always('/order', {
    ...problem('userActionRequired', 403, 'terms changed', { instance: 'https://ca.example/agree?token=1' }),
    headers: { link: '<https://ca.example/terms-7>;rel="terms-of-service"' },
  });
  const error = await rejection(client().newOrder({ names: ['a.example'] }, signal));
  expect(error).toMatchObject({
    disposition: 'needs-human',
    instance: 'https://ca.example/agree?token=1',
    termsOfService: 'https://ca.example/terms-7',
  });
  expect((error as Error).message).toContain('https://ca.example/terms-7');
});

test('RFC 8555 7.3.6: unauthorized on a request is for a person: the account is deactivated or revoked', async () => {
  ca.always('/order', problem('unauthorized', 401, 'account is deactivated'));
  expect(await rejection(client().newOrder({ names: ['a.example'] }, signal))).toMatchObject({
    type: 'unauthorized',
    disposition: 'needs-human',
  });
});

test.each([
  [500, 'retry-after', 60_000],
  [503, 'retry', undefined],
])('a %d with a problem document is tried again (%s)', async (status, disposition, retryAfterMs) => {
  ca.always('/order', {
    ...problem('serverInternal', status),
    ...(retryAfterMs && { headers: { 'retry-after': String(retryAfterMs / 1000) } }),
  });
  const error = await rejection(client().newOrder({ names: ['a.example'] }, signal));
  expect(error).toMatchObject({ type: 'serverInternal', disposition, ...(retryAfterMs && { retryAfterMs }) });
});

test.each([
  [503, '<html>upstream overloaded, host 10.1.2.3</html>', 'text/html'],
  [429, 'slow down', 'text/plain'],
  [502, '{"type":"x"}', 'application/json'],
])(
  'a %d of a load balancer that speaks no ACME is unavailability, with its Retry-After and without its body',
  async (status, text, type) => {
    ca.always('/order', { status, text, type, headers: { 'retry-after': '7' } });
    const error = await rejection(client().newOrder({ names: ['a.example'] }, signal));
    expect(error).toBeInstanceOf(AcmeUnavailableError);
    expect(error).toMatchObject({ httpStatus: status, retryAfterMs: 7000 });
    expect((error as Error).message).not.toContain(text);
  },
);

test('a body that is no problem document is never shown: it may be of any server', async () => {
  ca.always('/order', { status: 403, text: '{"detail":"internal secret"}', type: 'application/json' });
  const error = await rejection(client().newOrder({ names: ['a.example'] }, signal));
  expect(error).toBeInstanceOf(AcmeProtocolError);
  expect(JSON.stringify([error, (error as Error).message])).not.toContain('internal secret');
});

// ------------------------------------------------------------------ no answer

test('no answer at all is unavailability that keeps the cause', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), { code: 'ECONNREFUSED' });
  const http: HttpClient = () => Promise.reject(cause);
  const error = await rejection(client({ http }).directory(signal));
  expect(error).toBeInstanceOf(AcmeUnavailableError);
  expect(error).toMatchObject({ url: ca.directoryUrl, cause });
  expect((error as Error).message).toContain('ECONNREFUSED 192.0.2.1:443');
});

test('a read that meets a connection closed by the server is tried once more; what changes something is not', async () => {
  let resets = 0;
  const acme = client({
    http: (request) => (request.method === 'POST' && resets-- > 0 ? reset() : loopbackHttp(request)),
  });
  resets = 1;
  expect((await read(acme)).status).toBe('pending');
  resets = 1;
  expect(await rejection(acme.newOrder({ names: ['example.com'] }, signal))).toBeInstanceOf(AcmeUnavailableError);
  resets = 2;
  expect(await rejection(read(acme))).toBeInstanceOf(AcmeUnavailableError);
});

function reset(): Promise<never> {
  return Promise.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
}

function directoryWith(members: object) {
  return {
    json: { newNonce: `${ca.base}/nonce`, newAccount: `${ca.base}/acct`, newOrder: `${ca.base}/order`, ...members },
  };
}

function answer(status: number, json?: unknown, nonce?: string): HttpAnswer {
  return {
    status,
    headers: {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(nonce && { 'replay-nonce': nonce }),
    },
    body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
  };
}
