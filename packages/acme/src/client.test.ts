import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AccountKey, generateAccountKey } from './account-key.ts';
import { verifyCertificate } from './certificate.ts';
import { createCertificateKey } from './certificate-key.ts';
import { type AcmeClient, createAcmeClient } from './client.ts';
import { createCsr } from './csr.ts';
import { dns01Challenge, dns01Label, dns01Value } from './dns01.ts';
import { FakeCa, problem } from './testing/fake-ca.ts';
import { loopbackHttp } from './testing/wire.ts';

const signal = new AbortController().signal;
const names = ['example.com', '*.example.com'];
let ca: FakeCa;
let key: AccountKey;
let acme: AcmeClient;

beforeEach(async () => {
  ca = await FakeCa.start();
  ({ key } = await generateAccountKey());
  acme = createAcmeClient({ directoryUrl: ca.directoryUrl, http: loopbackHttp, key });
});
afterEach(async () => {
  await ca.close();
  expect(ca.violations).toEqual([]);
});

const agree = { termsOfServiceAgreed: true };
const posts = () => ca.seen.filter(({ method }) => method === 'POST').map(({ path, payload }) => [path, payload]);

describe('account', () => {
  test('RFC 8555 7.3: 201 is a new account, 200 one that was there; its URL is the Location', async () => {
    const first = await acme.ensureAccount(agree, signal);
    expect(first).toEqual({
      url: `${ca.base}/acct/1`,
      status: 'valid',
      created: true,
      termsOfService: `${ca.base}/terms`,
    });
    expect((await acme.ensureAccount(agree, signal)).created).toBe(false);
  });

  test('RFC 8555 6.2: newAccount carries the public key, everything after it the account URL as received', async () => {
    await acme.ensureAccount(agree, signal);
    await acme.account(signal);
    expect(ca.last('/acct').header).toMatchObject({ alg: 'ES256', jwk: key.jwk });
    expect(ca.last('/acct').header).not.toHaveProperty('kid');
    expect(ca.last('/acct/1').header).toMatchObject({ alg: 'ES256', kid: `${ca.base}/acct/1` });
    expect(ca.last('/acct/1').header).not.toHaveProperty('jwk');
  });

  test('RFC 8555 7.3.1: a lost account URL is found by onlyReturnExisting, which sends nothing else', async () => {
    await acme.ensureAccount(agree, signal);
    const later = createAcmeClient({ directoryUrl: ca.directoryUrl, http: loopbackHttp, key });
    const found = await later.ensureAccount({ termsOfServiceAgreed: true, onlyReturnExisting: true }, signal);
    expect(found).toMatchObject({ url: `${ca.base}/acct/1`, created: false });
    expect(JSON.parse(ca.last('/acct').payload)).toEqual({ onlyReturnExisting: true });
    expect((await later.account(signal)).status).toBe('valid');
  });

  test('RFC 8555 7.3.1: onlyReturnExisting makes no account where there is none', async () => {
    await expect(acme.ensureAccount({ ...agree, onlyReturnExisting: true }, signal)).rejects.toMatchObject({
      type: 'accountDoesNotExist',
      disposition: 'register',
    });
    expect(ca.accounts.size).toBe(0);
  });

  test('RFC 8555 7.3: contacts are optional, and what the CA returns of them is not compared', async () => {
    await acme.ensureAccount(agree, signal);
    expect(JSON.parse(ca.last('/acct').payload)).toEqual({ termsOfServiceAgreed: true });
    ca.once('/acct', { headers: { location: `${ca.base}/acct/1` }, json: { status: 'valid', contact: [] } });
    const account = await acme.ensureAccount({ ...agree, contact: ['mailto:a@example.com'] }, signal);
    expect(JSON.parse(ca.last('/acct').payload)).toMatchObject({ contact: ['mailto:a@example.com'] });
    expect(account).not.toHaveProperty('contact');
  });

  test('RFC 8555 7.3.3: consent is what the caller says, never assumed', async () => {
    ca.once('/acct', problem('userActionRequired', 403, 'must agree to terms of service'));
    await expect(acme.ensureAccount({ termsOfServiceAgreed: false }, signal)).rejects.toMatchObject({
      disposition: 'needs-human',
    });
    expect(JSON.parse(ca.last('/acct').payload)).toEqual({ termsOfServiceAgreed: false });
  });

  test('RFC 8555 7.3.4: the binding is HS256 over the account key with kid and the newAccount url, without a nonce', async () => {
    const hmacKey = Buffer.from('zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W', 'base64url');
    await acme.ensureAccount({ ...agree, eab: { keyId: 'kid-1', hmacKey } }, signal);
    const { externalAccountBinding: jws } = JSON.parse(ca.last('/acct').payload);
    expect(Object.keys(jws).sort()).toEqual(['payload', 'protected', 'signature']);
    expect(decode(jws.protected)).toEqual({ alg: 'HS256', kid: 'kid-1', url: `${ca.base}/acct` });
    expect(decode(jws.payload)).toEqual(key.jwk);
    expect(jws.signature).toBe(
      createHmac('sha256', hmacKey).update(`${jws.protected}.${jws.payload}`).digest('base64url'),
    );
  });

  test('RFC 8555 7.3.4: an empty HMAC key is told before it is used', async () => {
    const eab = { keyId: 'kid-1', hmacKey: new Uint8Array() };
    await expect(acme.ensureAccount({ ...agree, eab }, signal)).rejects.toThrow('binding "kid-1" is empty');
  });

  test('RFC 8555 7.3.4: a binding is not spent on an account that is there already', async () => {
    await acme.ensureAccount(agree, signal);
    await acme.ensureAccount({ ...agree, eab: { keyId: 'kid-1', hmacKey: Buffer.alloc(32, 1) } }, signal);
    expect(ca.last('/acct').payload).not.toContain('externalAccountBinding');
  });

  test('RFC 8555 7.3.4: a CA that wants a binding for every newAccount gets it', async () => {
    ca.once('/acct', problem('externalAccountRequired', 400));
    const account = await acme.ensureAccount({ ...agree, eab: { keyId: 'k', hmacKey: Buffer.alloc(32, 1) } }, signal);
    expect(account.created).toBe(true);
  });

  test('RFC 8555 7.3.4: externalAccountRequired without a binding is for the configuration to mend', async () => {
    ca.once('/acct', problem('externalAccountRequired', 400));
    await expect(acme.ensureAccount(agree, signal)).rejects.toMatchObject({ disposition: 'fix-spec' });
  });

  test.each(['deactivated', 'revoked'])('RFC 8555 7.1.6: an account that is %s is reported so', async (status) => {
    await acme.ensureAccount(agree, signal);
    ca.once('/acct/1', { json: { status } });
    expect((await acme.account(signal)).status).toBe(status);
  });

  test('an account that the CA has forgotten is to be registered again', async () => {
    await acme.ensureAccount(agree, signal);
    ca.once('/order', problem('accountDoesNotExist', 400));
    await expect(acme.newOrder({ names }, signal)).rejects.toMatchObject({ disposition: 'register' });
  });

  test('an answer without Location is refused: the URL is the only name an account has', async () => {
    ca.once('/acct', { status: 201, json: { status: 'valid' } });
    await expect(acme.ensureAccount(agree, signal)).rejects.toThrow('without the Location of the account');
  });

  test('a request before any account says what is missing', async () => {
    await expect(acme.order(`${ca.base}/order/1`, signal)).rejects.toThrow('call ensureAccount first');
  });
});

describe('order', () => {
  beforeEach(async () => void (await acme.ensureAccount(agree, signal)));

  test('RFC 8555 7.4: the order is known by the Location of newOrder, which later answers need not repeat', async () => {
    const order = await acme.newOrder({ names }, signal);
    expect(order).toMatchObject({
      url: `${ca.base}/order/1`,
      status: 'pending',
      expires: Date.parse('2030-01-01T00:00:00Z'),
      identifiers: names.map((value) => ({ type: 'dns', value })),
      finalizeUrl: `${ca.base}/finalize`,
    });
    expect((await acme.order(order.url, signal)).url).toBe(order.url);
  });

  test('RFC 8555 7.4: an order names identifiers and, only when asked for, profile and replaces', async () => {
    await acme.newOrder({ names }, signal);
    expect(JSON.parse(ca.last('/order').payload)).toEqual({
      identifiers: names.map((value) => ({ type: 'dns', value })),
    });
    await acme.newOrder({ names: ['a.example'], profile: 'short', replaces: 'aYhba4.AIdl' }, signal);
    expect(JSON.parse(ca.last('/order').payload)).toEqual({
      identifiers: [{ type: 'dns', value: 'a.example' }],
      profile: 'short',
      replaces: 'aYhba4.AIdl',
    });
  });

  test('RFC 8555 7.4: notBefore and notAfter are sent only when asked for', async () => {
    await acme.newOrder({ names, notAfter: Date.parse('2026-12-01T00:00:00Z') }, signal);
    expect(JSON.parse(ca.last('/order').payload)).toMatchObject({ notAfter: '2026-12-01T00:00:00.000Z' });
  });

  test('RFC 8555 7.1.3: authorizations are told apart by identifier and wildcard, whatever their order', async () => {
    const { authorizationUrls } = await acme.newOrder({ names }, signal);
    const found = await Promise.all(authorizationUrls.map((url) => acme.authorization(url, signal)));
    expect(found.map(({ identifier, wildcard }) => [identifier.value, wildcard])).toEqual([
      ['example.com', true],
      ['example.com', false],
    ]);
  });

  test('RFC 8555 8.4: apex and wildcard are one TXT name with two values that must be there together', async () => {
    const { authorizationUrls } = await acme.newOrder({ names }, signal);
    const found = await Promise.all(authorizationUrls.map((url) => acme.authorization(url, signal)));
    expect(new Set(found.map(({ identifier }) => `${dns01Label}.${identifier.value}`)).size).toBe(1);
    expect(new Set(found.map((each) => dns01Value(dns01Challenge(each)!.token, key))).size).toBe(2);
  });

  test('RFC 8555 7.1.4: an authorization that is valid already, from an earlier order, is read as such', async () => {
    await acme.respond(`${ca.base}/chall/0`, signal);
    const { authorizationUrls } = await acme.newOrder({ names }, signal);
    const found = await Promise.all(authorizationUrls.map((url) => acme.authorization(url, signal)));
    expect(found.map(({ wildcard, status }) => [wildcard, status])).toEqual([
      [true, 'pending'],
      [false, 'valid'],
    ]);
  });

  test('RFC 8555 7.5.1: {} goes to a challenge only, once; what became of it is read from the authorization', async () => {
    const before = await acme.authorization(`${ca.base}/authz/0`, signal);
    await acme.respond(dns01Challenge(before)!.url, signal);
    expect((await acme.authorization(before.url, signal)).status).toBe('valid');
    expect(posts().slice(1)).toEqual([
      ['/authz/0', ''],
      ['/chall/0', '{}'],
      ['/authz/0', ''],
    ]);
  });

  test('RFC 8555 7.5.2: an authorization is given up by status deactivated', async () => {
    await acme.deactivateAuthorization(`${ca.base}/authz/0`, signal);
    expect(JSON.parse(ca.last('/authz/0').payload)).toEqual({ status: 'deactivated' });
    expect((await acme.authorization(`${ca.base}/authz/0`, signal)).status).toBe('deactivated');
  });

  test('RFC 8555 7.4: pending, ready, processing with Retry-After, valid: from newOrder to a verified certificate', async () => {
    const order = await acme.newOrder({ names }, signal);
    for (const url of order.authorizationUrls) {
      await acme.respond(dns01Challenge(await acme.authorization(url, signal))!.url, signal);
    }
    expect((await acme.order(order.url, signal)).status).toBe('ready');

    const keyPem = await createCertificateKey({ algorithm: 'ECDSA' });
    const finalized = await acme.finalize(order.finalizeUrl, await createCsr(names, keyPem), signal);
    expect(finalized).toMatchObject({ status: 'processing', retryAfterMs: 3000 });
    expect(finalized).not.toHaveProperty('url');
    expect((await acme.order(order.url, signal)).status).toBe('processing');

    const done = await acme.order(order.url, signal);
    expect(done).toMatchObject({ status: 'valid', certificateUrl: `${ca.base}/cert` });
    const { pemChain, alternates } = await acme.certificate(done.certificateUrl!, signal);
    expect(ca.last('/cert').headers.accept).toBe('application/pem-certificate-chain');
    expect(alternates).toEqual([`${ca.base}/cert/alt`]);
    expect(verifyCertificate({ pemChain, names, keyPem, now: Date.now() })).toMatchObject({ names, chainLength: 2 });
  });

  test('RFC 8555 7.4: orderNotReady asks to read the order again', async () => {
    await expect(acme.finalize(`${ca.base}/finalize`, new Uint8Array([0x30, 0]), signal)).rejects.toMatchObject({
      type: 'orderNotReady',
      disposition: 'retry',
    });
  });

  test('RFC 8555 7.4: badCSR leaves the order ready: another CSR finalizes the same order', async () => {
    const order = await acme.newOrder({ names }, signal);
    for (const index of [0, 1]) await acme.respond(`${ca.base}/chall/${index}`, signal);
    ca.once('/finalize', problem('badCSR', 400));
    const csr = await createCsr(names, await createCertificateKey({ algorithm: 'ECDSA' }));
    await expect(acme.finalize(order.finalizeUrl, csr, signal)).rejects.toMatchObject({ disposition: 'fix-spec' });
    expect((await acme.order(order.url, signal)).status).toBe('ready');
    expect((await acme.finalize(order.finalizeUrl, csr, signal)).status).toBe('processing');
  });

  test('RFC 8555 7.1.6: an invalid order is final and says why', async () => {
    ca.once('/order/1', {
      json: {
        status: 'invalid',
        authorizations: [],
        finalize: `${ca.base}/finalize`,
        error: { type: 'urn:ietf:params:acme:error:unauthorized', detail: 'wrong TXT value' },
      },
    });
    expect(await acme.order(`${ca.base}/order/1`, signal)).toMatchObject({
      status: 'invalid',
      error: { type: 'unauthorized', detail: 'wrong TXT value', disposition: 'new-order' },
    });
  });

  test.each([
    ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['a page', '<html></html>'],
    ['nothing', ''],
  ])('RFC 8555 7.4.2: a certificate download that holds %s is refused', async (_what, text) => {
    ca.always('/cert', { text, type: 'application/pem-certificate-chain' });
    await expect(acme.certificate(`${ca.base}/cert`, signal)).rejects.toThrow('something else than a chain');
  });
});

test('a directory URL that is none is refused before anything is sent', () => {
  expect(() => createAcmeClient({ directoryUrl: 'ca.example/dir', http: loopbackHttp, key })).toThrow('https://');
});

function decode(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
