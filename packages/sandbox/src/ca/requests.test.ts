import type { DnsTransport } from '@zoneproof/dns';
import { FlattenedSign } from 'jose';
import { createTestAccount, createTestClient, type TestAnswer, type TestClient } from './client.testing.ts';
import { type CaOptions, type SandboxCa, startAcmeCa } from './server.ts';

const noDns: CaOptions['dns'] = { resolvers: [], transport: {} as DnsTransport };
const eabKey = new Uint8Array(32).fill(7);
let ca: SandboxCa;
let at: (path: string) => string;

beforeEach(async () => {
  ca = await startAcmeCa({ dns: noDns });
  at = (path) => ca.directoryUrl.replace('/directory', path);
});
afterEach(() => ca.close());

describe('nonces (RFC 8555 6.5)', () => {
  test('a nonce is good once', async () => {
    const client = await createTestAccount(ca);
    const nonce = await client.nonce();
    expect((await client.post(client.kid!, undefined, { nonce })).status).toBe(200);
    const second = await client.post(client.kid!, undefined, { nonce });
    expect([second.status, second.problem]).toEqual([400, 'badNonce']);
    expect(second.headers['replay-nonce']).toMatch(/^[\w-]+$/);
    expect(ca.counts.badNonces).toBe(1);
  });

  test('a nonce nobody issued, and none at all, are refused', async () => {
    const client = await createTestAccount(ca);
    expect((await client.post(client.kid!, undefined, { nonce: 'bm9uZQ' })).problem).toBe('badNonce');
    expect((await client.post(client.kid!, undefined, { nonce: undefined })).problem).toBe('badNonce');
  });

  test('the nonce of an answer is good for the next request; a set share of good ones is refused', async () => {
    const client = await createTestAccount(ca);
    ca.settings.nonceRejectPercent = 100;
    const refused = await client.post(client.kid!);
    expect(refused.problem).toBe('badNonce');
    ca.settings.nonceRejectPercent = 0;
    const nonce = refused.headers['replay-nonce'];
    expect((await client.post(client.kid!, undefined, { nonce })).status).toBe(200);
  });

  test('newNonce: HEAD 200, GET 204, not to be stored', async () => {
    const client = await createTestClient(ca);
    const head = await client.send('HEAD', at('/new-nonce'));
    const get = await client.send('GET', at('/new-nonce'));
    expect([head.status, get.status]).toEqual([200, 204]);
    expect(head.headers['cache-control']).toBe('no-store');
    expect(get.headers['replay-nonce']).not.toBe(head.headers['replay-nonce']);
    expect(get.headers.link).toContain(`<${ca.directoryUrl}>;rel="index"`);
  });
});

describe('JWS (RFC 8555 6.2 to 6.4)', () => {
  const cases: [title: string, status: number, problem: string, send: (client: TestClient) => Promise<TestAnswer>][] = [
    ['a plain GET of a resource', 405, 'malformed', (c) => c.send('GET', c.kid!)],
    [
      'another content type',
      415,
      'malformed',
      async (c) => c.send('POST', c.kid!, JSON.stringify(await c.sign(c.kid!)), 'application/json'),
    ],
    ['no JSON', 400, 'malformed', (c) => c.send('POST', c.kid!, 'hello', 'application/jose+json')],
    [
      'a signature by another key',
      400,
      'malformed',
      async (c) => (await createTestClient(ca)).post(c.kid!, undefined, { jwk: undefined, kid: c.kid }),
    ],
    ['a changed payload', 400, 'malformed', (c) => sendChanged(c, (jws) => ({ ...jws, payload: 'e30' }))],
    ['an unprotected header', 400, 'malformed', (c) => sendChanged(c, (jws) => ({ ...jws, header: { kid: c.kid } }))],
    ['padded base64', 400, 'malformed', (c) => sendChanged(c, (jws) => ({ ...jws, signature: `${jws.signature}==` }))],
    ['the url of another resource', 403, 'unauthorized', (c) => c.post(c.kid!, undefined, { url: at('/new-order') })],
    ['jwk and kid together', 400, 'malformed', (c) => c.post(c.kid!, undefined, { jwk: c.jwk })],
    ['neither jwk nor kid', 400, 'malformed', (c) => c.post(c.kid!, undefined, { kid: undefined })],
    ['jwk where kid is due', 400, 'malformed', (c) => c.post(at('/new-order'), {}, { kid: undefined, jwk: c.jwk })],
    ['kid where jwk is due', 400, 'malformed', (c) => c.post(at('/new-account'), {})],
    ['an unknown account', 400, 'accountDoesNotExist', (c) => c.post(c.kid!, undefined, { kid: at('/account/999') })],
    ['an algorithm that is not for accounts', 400, 'badSignatureAlgorithm', (c) => sendHmac(c)],
    [
      'a private key as jwk',
      400,
      'badPublicKey',
      (c) => c.post(at('/new-account'), {}, { kid: undefined, jwk: { ...c.jwk, d: 'AAAA' } }),
    ],
    [
      'a short RSA key',
      400,
      'badPublicKey',
      (c) => c.post(at('/new-account'), {}, { kid: undefined, jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }),
    ],
    [
      '{} where the payload must be empty',
      400,
      'malformed',
      async (c) => c.post(String((await newOrder(c)).headers.location), {}),
    ],
    ['a path with nothing there', 404, 'malformed', (c) => c.post(at('/nothing'))],
    [
      'a body without end',
      413,
      'malformed',
      (c) => c.send('POST', c.kid!, 'x'.repeat(300_000), 'application/jose+json'),
    ],
  ];
  test.each(cases)('%s is refused', async (_title, status, problem, send) => {
    const answer = await send(await createTestAccount(ca));
    expect([answer.status, answer.problem]).toEqual([status, problem]);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  test("another account's order is refused", async () => {
    const order = await newOrder(await createTestAccount(ca));
    const stranger = await createTestAccount(ca);
    expect((await stranger.post(String(order.headers.location))).problem).toBe('unauthorized');
  });
});

describe('accounts (RFC 8555 7.3)', () => {
  test('the same key finds its account again', async () => {
    const client = await createTestClient(ca);
    const first = await client.post(at('/new-account'), { contact: ['mailto:a@example.test'] });
    const second = await client.post(at('/new-account'), { onlyReturnExisting: true });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.headers.location).toBe(first.headers.location);
    expect(ca.counts.accounts).toBe(1);
  });

  test('onlyReturnExisting makes no account', async () => {
    const answer = await (await createTestClient(ca)).post(at('/new-account'), { onlyReturnExisting: true });
    expect([answer.status, answer.problem]).toEqual([400, 'accountDoesNotExist']);
    expect(ca.counts.accounts).toBe(0);
  });

  test('two requests at once with one key make one account', async () => {
    const client = await createTestClient(ca);
    const answers = await Promise.all([1, 2, 3].map(() => client.post(at('/new-account'), {})));
    expect(new Set(answers.map((answer) => answer.headers.location)).size).toBe(1);
    expect(ca.counts.accounts).toBe(1);
  });

  test.each([
    ['tel:+1234', 'unsupportedContact'],
    ['mailto:a@example.test,b@example.test', 'invalidContact'],
    ['mailto:a@example.test?subject=x', 'invalidContact'],
    ['admin', 'invalidContact'],
  ])('contact %s: %s', async (contact, problem) => {
    expect((await (await createTestClient(ca)).post(at('/new-account'), { contact: [contact] })).problem).toBe(problem);
  });

  test('a deactivated account may do nothing more', async () => {
    const client = await createTestAccount(ca);
    expect((await client.post(client.kid!, { status: 'deactivated' })).json.status).toBe('deactivated');
    const answer = await newOrder(client);
    expect([answer.status, answer.problem]).toEqual([401, 'unauthorized']);
  });

  test('terms of service have to be agreed to', async () => {
    await ca.close();
    ca = await startAcmeCa({ dns: noDns, termsOfService: 'https://ca.test/terms' });
    const client = await createTestClient(ca);
    const refused = await client.post(at('/new-account'), {});
    expect([refused.status, refused.problem]).toEqual([403, 'userActionRequired']);
    expect(refused.headers.link).toContain('https://ca.test/terms');
    expect((await client.post(at('/new-account'), { termsOfServiceAgreed: true })).status).toBe(201);
  });
});

describe('external account binding (RFC 8555 7.3.4)', () => {
  beforeEach(async () => {
    await ca.close();
    ca = await startAcmeCa({ dns: noDns, eab: { 'key-1': eabKey } });
  });

  test('the directory asks for it, and an account without one is refused', async () => {
    const client = await createTestClient(ca);
    expect((await client.send('GET', ca.directoryUrl)).json.meta).toEqual({ externalAccountRequired: true });
    const answer = await client.post(at('/new-account'), {});
    expect([answer.status, answer.problem]).toEqual([403, 'externalAccountRequired']);
  });

  const bindings: [
    string,
    number,
    string | undefined,
    Partial<{ alg: string; kid: string; url: string; nonce: string; key: Uint8Array; other: boolean }>,
  ][] = [
    ['a good binding', 201, undefined, {}],
    ['an unknown key id', 403, 'unauthorized', { kid: 'key-2' }],
    ['a wrong HMAC key', 403, 'unauthorized', { key: new Uint8Array(32).fill(8) }],
    ['another account key', 403, 'unauthorized', { other: true }],
    ['another url', 400, 'malformed', { url: 'https://ca.test/new-account' }],
    ['a nonce in the inner header', 400, 'malformed', { nonce: 'bm9uY2U' }],
    ['HS512', 400, 'badSignatureAlgorithm', { alg: 'HS512', key: new Uint8Array(64).fill(7) }],
  ];
  test.each(bindings)('%s', async (_title, status, problem, wrong) => {
    const client = await createTestClient(ca);
    const jwk = wrong.other ? (await createTestClient(ca)).jwk : client.jwk;
    const header = {
      alg: wrong.alg ?? 'HS256',
      kid: wrong.kid ?? 'key-1',
      url: wrong.url ?? at('/new-account'),
      ...(wrong.nonce && { nonce: wrong.nonce }),
    };
    const binding = await new FlattenedSign(new TextEncoder().encode(JSON.stringify(jwk)))
      .setProtectedHeader(header)
      .sign(wrong.key ?? eabKey);
    const answer = await client.post(at('/new-account'), { externalAccountBinding: binding });
    expect([answer.status, answer.problem]).toEqual([status, problem]);
    expect(ca.counts.accounts).toBe(status === 201 ? 1 : 0);
  });
});

describe('faults', () => {
  test('a rate limit for one name, with the given Retry-After, twice', async () => {
    const client = await createTestAccount(ca);
    ca.faults.add({ at: 'newOrder', problem: 'rateLimited', name: 'busy.test', retryAfter: 7, times: 2 });
    expect((await newOrder(client, ['calm.test'])).status).toBe(201);
    const limited = await newOrder(client, ['busy.test']);
    expect([limited.status, limited.problem, limited.headers['retry-after']]).toEqual([429, 'rateLimited', '7']);
    expect((await newOrder(client, ['calm.test', 'busy.test'])).status).toBe(429);
    expect((await newOrder(client, ['busy.test'])).status).toBe(201);
  });

  test('unavailable: the page of a load balancer, without a nonce', async () => {
    const client = await createTestAccount(ca);
    const clear = ca.faults.add({
      at: 'newOrder',
      problem: 'unavailable',
      retryAfter: 'Sat, 21 Nov 2026 12:00:00 GMT',
      times: Infinity,
    });
    for (let i = 0; i < 2; i++) {
      const answer = await newOrder(client);
      expect([answer.status, answer.headers['content-type'], answer.headers['replay-nonce']]).toEqual([
        503,
        'text/html',
        undefined,
      ]);
      expect(answer.headers['retry-after']).toBe('Sat, 21 Nov 2026 12:00:00 GMT');
    }
    clear();
    expect((await newOrder(client)).status).toBe(201);
  });

  test('dropped: done, and no answer', async () => {
    const client = await createTestAccount(ca);
    ca.faults.add({ at: 'newOrder', problem: 'dropped' });
    await expect(newOrder(client)).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(ca.counts.orders).toBe(1);
  });

  test('serverInternal at newNonce and at the directory', async () => {
    const client = await createTestClient(ca);
    ca.faults.add({ at: 'newNonce', problem: 'serverInternal' });
    ca.faults.add({ at: 'directory', problem: 'serverInternal', status: 502 });
    expect((await client.send('HEAD', at('/new-nonce'))).status).toBe(500);
    expect((await client.send('GET', ca.directoryUrl)).status).toBe(502);
    expect((await client.send('GET', ca.directoryUrl)).status).toBe(200);
  });
});

function newOrder(client: TestClient, names: readonly string[] = ['a.test']): Promise<TestAnswer> {
  return client.post(at('/new-order'), { identifiers: names.map((value) => ({ type: 'dns', value })) });
}

async function sendChanged(client: TestClient, change: (jws: Record<string, unknown>) => object): Promise<TestAnswer> {
  const body = JSON.stringify(change(await client.sign(client.kid!)));
  return client.send('POST', client.kid!, body, 'application/jose+json');
}

async function sendHmac(client: TestClient): Promise<TestAnswer> {
  const header = { alg: 'HS256', kid: client.kid!, nonce: await client.nonce(), url: client.kid! };
  const jws = await new FlattenedSign(new Uint8Array(0)).setProtectedHeader(header).sign(eabKey);
  return client.send('POST', client.kid!, JSON.stringify(jws), 'application/jose+json');
}
