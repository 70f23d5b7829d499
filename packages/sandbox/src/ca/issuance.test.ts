import { createHash, X509Certificate } from 'node:crypto';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { createTestAccount, createTestCsr, type TestAnswer, type TestClient } from './client.testing.ts';

const day = 24 * 60 * 60 * 1000;
let now: number;
let sandbox: Sandbox;
let client: TestClient;

beforeEach(async () => {
  now = Date.UTC(2026, 10, 21, 12);
  sandbox = await startSandbox({ clock: { now: () => now } });
  client = await createTestAccount(sandbox.ca);
});
afterEach(() => sandbox.close());

describe('issuance (RFC 8555 7.4)', () => {
  test('apex and wildcard: two authorizations, one name, two values, one chain to the root', async () => {
    const names = ['example.test', '*.example.test'];
    const order = await newOrder(names);
    const challenges = await dnsChallenges(order);
    expect(challenges.map(({ authorization }) => [authorization.identifier, authorization.wildcard])).toEqual([
      [{ type: 'dns', value: 'example.test' }, true],
      [{ type: 'dns', value: 'example.test' }, undefined],
    ]);
    for (const { value } of challenges) present('_acme-challenge.example.test', value);
    await respondToAll(challenges);
    expect((await settled(order)).json.status).toBe('ready');

    const finalized = await client.post(String(order.json.finalize), { csr: await createTestCsr(names) });
    expect(finalized.json.status).toBe('valid');
    const chain = await client.post(String(finalized.json.certificate));
    expect(chain.headers['content-type']).toBe('application/pem-certificate-chain');
    const [leaf, intermediate, more] = certificates(chain.text);
    const root = new X509Certificate(sandbox.ca.rootPem);
    expect(more).toBeUndefined();
    expect(leaf!.subjectAltName).toBe('DNS:example.test, DNS:*.example.test');
    expect([leaf!.verify(intermediate!.publicKey), intermediate!.verify(root.publicKey)]).toEqual([true, true]);
    expect([leaf!.ca, intermediate!.ca, leaf!.checkIssued(intermediate!)]).toEqual([false, true, true]);
    expect([Date.parse(leaf!.validFrom), Date.parse(leaf!.validTo)]).toEqual([now, now + 90 * day]);
    expect(sandbox.ca.issued()).toMatchObject([{ names, serial: leaf!.serialNumber }]);
  });

  test.each([
    ['acme-dns', 'app.example.test', (value: string) => updateAcmeDns(value)],
    ['another zone', 'alias.example.test', (value: string) => present('alias-challenge.shop.test', value)],
    [
      'a delegated child zone',
      'www.child.example.test',
      (value: string) => present('_acme-challenge.www.child.example.test', value),
    ],
  ])('the value is found in %s', async (_where, name, publish) => {
    const order = await newOrder([name]);
    const challenges = await dnsChallenges(order);
    await publish(challenges[0]!.value);
    await respondToAll(challenges);
    expect((await settled(order)).json.status).toBe('ready');
  });

  test('lifetimes can be seconds', async () => {
    sandbox.ca.settings.certificateLifetimeMs = 5000;
    const order = await readyOrder(['a.example.test']);
    await client.post(String(order.json.finalize), { csr: await createTestCsr(['a.example.test']) });
    expect(sandbox.ca.issued()).toMatchObject([{ notBefore: now, notAfter: now + 5000 }]);
  });

  test('an order is processing for as long as the setting says, with the Retry-After given', async () => {
    Object.assign(sandbox.ca.settings, { processingMs: 3000, retryAfter: 2 });
    const order = await readyOrder(['a.example.test']);
    const finalized = await client.post(String(order.json.finalize), { csr: await createTestCsr(['a.example.test']) });
    expect([finalized.json.status, finalized.json.certificate, finalized.headers['retry-after']]).toEqual([
      'processing',
      undefined,
      '2',
    ]);
    now += 2999;
    expect((await client.post(orderUrl(order))).json.status).toBe('processing');
    now += 1;
    expect((await client.post(orderUrl(order))).json).toMatchObject({
      status: 'valid',
      certificate: expect.any(String),
    });
  });
});

describe('validation (RFC 8555 8.4)', () => {
  test.each([
    ['no value', [], 'dns', /NXDOMAIN looking up TXT for _acme-challenge\.a\.example\.test/],
    ['another value', ['x'], 'unauthorized', /incorrect TXT record "x"/],
  ])('%s: the challenge, the authorization and the order are invalid', async (_title, values, type, detail) => {
    for (const value of values) present('_acme-challenge.a.example.test', value);
    const order = await newOrder(['a.example.test']);
    await respondToAll(await dnsChallenges(order));
    expect((await settled(order)).json).toMatchObject({
      status: 'invalid',
      error: { type: expect.stringContaining(`:${type}`) },
    });
    const [failed] = await dnsChallenges(order);
    expect(failed!.authorization.status).toBe('invalid');
    expect(failed!.error!.detail).toMatch(detail);
    expect(sandbox.ca.counts.failedValidations).toBe(1);
    const again = await client.post(failed!.url, {});
    expect([again.status, again.problem]).toEqual([400, 'malformed']);
  });

  test('a value that only one of the servers has is not enough', async () => {
    sandbox.dns.endpoints[1]!.frozen = true;
    const order = await newOrder(['a.example.test']);
    const challenges = await dnsChallenges(order);
    present('_acme-challenge.a.example.test', challenges[0]!.value);
    await respondToAll(challenges);
    expect((await settled(order)).json.status).toBe('invalid');
  });

  test('http-01 is offered and cannot be used', async () => {
    const order = await newOrder(['a.example.test']);
    const [authorizationUrl] = order.json.authorizations as string[];
    const { json } = await client.post(authorizationUrl!);
    const other = (json.challenges as { type: string; url: string }[]).find(
      (challenge) => challenge.type === 'http-01',
    );
    await client.post(other!.url, {});
    expect((await settled(order)).json.error).toMatchObject({ type: expect.stringContaining(':connection') });
  });

  test.each(['caa', 'unauthorized', 'dns'] as const)('fault %s', async (problem) => {
    sandbox.ca.faults.add({ at: 'validation', problem, name: 'a.example.test' });
    const order = await newOrder(['a.example.test']);
    const challenges = await dnsChallenges(order);
    present('_acme-challenge.a.example.test', challenges[0]!.value);
    await respondToAll(challenges);
    expect((await settled(order)).json.error).toMatchObject({ type: `urn:ietf:params:acme:error:${problem}` });
  });
});

describe('finalize', () => {
  const name = 'a.example.test';
  test.each([
    ['other names', () => createTestCsr(['b.example.test'])],
    ['a name too many', () => createTestCsr([name, 'b.example.test'])],
    ['a common name of its own', () => createTestCsr([name], undefined, 'CN=b.example.test')],
    ['the account key', () => createTestCsr([name], client.keys)],
    ['a broken signature', async () => breakSignature(await createTestCsr([name]))],
    ['no CSR at all', async () => 'AAAA'],
    ['padded base64', async () => `${await createTestCsr([name])}=`],
  ])('a CSR with %s is refused and the order stays ready', async (_title, csr) => {
    const order = await readyOrder([name]);
    const refused = await client.post(String(order.json.finalize), { csr: await csr() });
    expect([refused.status, refused.problem]).toEqual([400, 'badCSR']);
    expect((await client.post(orderUrl(order))).json.status).toBe('ready');
    const finalized = await client.post(String(order.json.finalize), { csr: await createTestCsr([name]) });
    expect(finalized.json.status).toBe('valid');
  });

  test('a pending order is not ready', async () => {
    const order = await newOrder([name]);
    const answer = await client.post(String(order.json.finalize), { csr: await createTestCsr([name]) });
    expect([answer.status, answer.problem]).toEqual([403, 'orderNotReady']);
  });

  test('fault at issuance: the order is invalid with that problem', async () => {
    sandbox.ca.faults.add({ at: 'issuance', problem: 'caa' });
    const order = await readyOrder([name]);
    const answer = await client.post(String(order.json.finalize), { csr: await createTestCsr([name]) });
    expect(answer.json).toMatchObject({ status: 'invalid', error: { type: 'urn:ietf:params:acme:error:caa' } });
    expect(sandbox.ca.counts.certificates).toBe(0);
  });
});

describe('orders and authorizations', () => {
  test.each([
    ['none', 'pending', 'pending'],
    ['valid', 'ready', 'pending'],
    ['all', 'ready', 'pending'],
  ] as const)('reuse %s: after a valid authorization the next order is %s', async (authzReuse, status, fresh) => {
    sandbox.ca.settings.authzReuse = authzReuse;
    const first = await readyOrder(['a.example.test']);
    const csr = await createTestCsr(['a.example.test']);
    await client.post(String(first.json.finalize), { csr });
    expect((await newOrder(['a.example.test'])).json.status).toBe(status);
    expect((await newOrder(['*.a.example.test'])).json.status).toBe(fresh);
  });

  test('reuse all: an open order for the same names is returned, pending authorizations are shared', async () => {
    sandbox.ca.settings.authzReuse = 'all';
    const first = await newOrder(['a.example.test', 'b.example.test']);
    const same = await newOrder(['b.example.test', 'a.example.test']);
    const overlapping = await newOrder(['a.example.test']);
    expect(same.headers.location).toBe(first.headers.location);
    expect(overlapping.headers.location).not.toBe(first.headers.location);
    expect(first.json.authorizations).toContain((overlapping.json.authorizations as string[])[0]);
    expect(sandbox.ca.counts.orders).toBe(2);
  });

  test('a deactivated authorization ends its order and its reuse', async () => {
    sandbox.ca.settings.authzReuse = 'valid';
    const order = await readyOrder(['a.example.test']);
    const [url] = order.json.authorizations as string[];
    expect((await client.post(url!, { status: 'deactivated' })).json.status).toBe('deactivated');
    expect((await client.post(orderUrl(order))).json.status).toBe('invalid');
    expect((await newOrder(['a.example.test'])).json.status).toBe('pending');
    expect((await client.post(url!, { status: 'deactivated' })).problem).toBe('malformed');
  });

  test('pending ones run out into invalid, valid ones into expired', async () => {
    const pending = await newOrder(['b.example.test']);
    const ready = await readyOrder(['a.example.test']);
    now += 7 * day;
    expect((await client.post(orderUrl(pending))).json.status).toBe('invalid');
    expect((await client.post(orderUrl(ready))).json.status).toBe('invalid');
    expect((await dnsChallenges(ready))[0]!.authorization.status).toBe('valid');
    expect((await dnsChallenges(pending))[0]!.authorization.status).toBe('invalid');
    now += 23 * day;
    expect((await dnsChallenges(ready))[0]!.authorization.status).toBe('expired');
  });

  test('every refused name is named', async () => {
    const answer = await newOrder(['a.example.test', 'Big.example.test', 'x..test', 'single']);
    expect([answer.status, answer.problem]).toEqual([400, 'malformed']);
    expect(answer.json.subproblems).toMatchObject([
      { type: expect.stringContaining('malformed'), identifier: { type: 'dns', value: 'Big.example.test' } },
      { type: expect.stringContaining('malformed'), identifier: { type: 'dns', value: 'x..test' } },
      { type: expect.stringContaining('rejectedIdentifier'), identifier: { type: 'dns', value: 'single' } },
    ]);
  });

  test.each([
    ['notAfter', { notAfter: '2027-01-01T00:00:00Z' }, 'malformed'],
    ['an unknown profile', { profile: 'shortlived' }, 'invalidProfile'],
    ['no identifiers', { identifiers: [] }, 'malformed'],
    ['an IP address', { identifiers: [{ type: 'ip', value: '192.0.2.1' }] }, 'unsupportedIdentifier'],
  ])('%s is refused', async (_title, members, problem) => {
    const identifiers = [{ type: 'dns', value: 'a.example.test' }];
    expect((await client.post(at('/new-order'), { identifiers, ...members })).problem).toBe(problem);
  });
});

interface DnsChallenge {
  readonly url: string;
  readonly value: string;
  readonly authorization: Record<string, unknown>;
  readonly error: { readonly detail: string } | undefined;
}

const at = (path: string): string => sandbox.ca.directoryUrl.replace('/directory', path);
const orderUrl = (order: TestAnswer): string => String(order.headers.location);

function newOrder(names: readonly string[]): Promise<TestAnswer> {
  return client.post(at('/new-order'), { identifiers: names.map((value) => ({ type: 'dns', value })) });
}

async function dnsChallenges(order: TestAnswer): Promise<DnsChallenge[]> {
  const found: DnsChallenge[] = [];
  for (const url of order.json.authorizations as string[]) {
    const authorization = (await client.post(url)).json;
    for (const challenge of authorization.challenges as Record<string, unknown>[]) {
      if (challenge.type !== 'dns-01') continue;
      const value = createHash('sha256').update(`${challenge.token}.${client.thumbprint}`).digest('base64url');
      found.push({ url: String(challenge.url), value, authorization, error: challenge.error as DnsChallenge['error'] });
    }
  }
  return found;
}

async function respondToAll(challenges: readonly DnsChallenge[]): Promise<void> {
  for (const challenge of challenges) expect((await client.post(challenge.url, {})).status).toBe(200);
}

/** The order once it is no longer pending; the CA validates on its own time, so this polls as a client does. */
async function settled(order: TestAnswer): Promise<TestAnswer> {
  for (;;) {
    const seen = await client.post(orderUrl(order));
    if (seen.json.status !== 'pending') return seen;
  }
}

async function readyOrder(names: readonly string[]): Promise<TestAnswer> {
  const order = await newOrder(names);
  const challenges = await dnsChallenges(order);
  for (const { authorization, value } of challenges)
    present(`_acme-challenge.${(authorization.identifier as { value: string }).value}`, value);
  await respondToAll(challenges);
  expect((await settled(order)).json.status).toBe('ready');
  return order;
}

function present(name: string, value: string): void {
  sandbox.dns.set({ name, type: 'TXT', value });
}

async function updateAcmeDns(txt: string): Promise<void> {
  const { username, password, subdomain } = sandbox.acmeDnsAccount;
  const headers = { 'x-api-user': username, 'x-api-key': password };
  const answer = await fetch(`${sandbox.acmeDns.url}/update`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ subdomain, txt }),
  });
  expect(answer.status).toBe(200);
}

function breakSignature(csr: string): string {
  const der = Buffer.from(csr, 'base64url');
  der[der.length - 1]! ^= 1;
  return der.toString('base64url');
}

function certificates(pem: string): X509Certificate[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(
    ([one]) => new X509Certificate(one),
  );
}
