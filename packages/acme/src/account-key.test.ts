import { createECDH, createPrivateKey, generateKeyPairSync, verify } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from 'jose';
import { AccountKeyError, generateAccountKey, readAccountKey } from './account-key.ts';
import { dns01Value } from './dns01.ts';
import { signRequest } from './jws.ts';

const ec = (curve: string, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type, format: 'pem' }).toString();
const rsa = (bits: number, type: 'pkcs8' | 'pkcs1' = 'pkcs8') =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type, format: 'pem' }).toString();

const request = { url: 'https://ca.example/order', nonce: 'abc', kid: 'https://ca.example/acct/1' };

test.each([
  ['EC P-256 in PKCS #8', () => ec('P-256'), 'ES256', 64],
  ['EC P-256 in SEC1', () => ec('P-256', 'sec1'), 'ES256', 64],
  ['EC P-384', () => ec('P-384'), 'ES384', 96],
  ['RSA 2048 in PKCS #8', () => rsa(2048), 'RS256', 256],
  ['RSA 2048 in PKCS #1', () => rsa(2048, 'pkcs1'), 'RS256', 256],
])('RFC 8555 6.2: %s signs as RFC 7518 says, judged by another library', async (_what, makePem, algorithm, octets) => {
  const key = await readAccountKey(makePem());
  expect(key.algorithm).toBe(algorithm);
  expect(key.sign('x')).toHaveLength(octets);
  const jws = JSON.parse(signRequest(key, request, '{"a":1}'));
  const opened = await flattenedVerify(jws, await importJWK(key.jwk as JWK, algorithm));
  expect(opened.protectedHeader).toEqual({ alg: algorithm, kid: request.kid, nonce: 'abc', url: request.url });
  expect(Buffer.from(opened.payload).toString()).toBe('{"a":1}');
});

test('RFC 7518 3.4: each of 200 ES256 signatures is 64 octets, also those whose r or s begins with zeros', async () => {
  const { key } = await generateAccountKey();
  expect(new Set(Array.from({ length: 200 }, (_, i) => key.sign(`${i}`).length))).toEqual(new Set([64]));
});

test('RFC 7518 6.2.1.2: coordinates are 32 octets wide even where they begin with zeros', async () => {
  const pem = keyWithShortX();
  const { jwk, thumbprint } = await readAccountKey(pem);
  if (jwk.kty !== 'EC') throw new Error('not EC');
  expect(Buffer.from(jwk.x, 'base64url')).toHaveLength(32);
  expect(Buffer.from(jwk.x, 'base64url')[0]).toBe(0);
  expect(Buffer.from(jwk.y, 'base64url')).toHaveLength(32);
  expect(thumbprint).toBe(await calculateJwkThumbprint(jwk as JWK));
});

test('RFC 7638: members of the public key stand in the order of its thumbprint, which is 43 characters', async () => {
  const keys = [await readAccountKey(ec('P-256')), await readAccountKey(rsa(2048))];
  expect(keys.map(({ jwk }) => Object.keys(jwk))).toEqual([
    ['crv', 'kty', 'x', 'y'],
    ['e', 'kty', 'n'],
  ]);
  for (const { thumbprint } of keys) expect(thumbprint).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('RFC 8555 8.4: the TXT value is the digest of token and thumbprint', async () => {
  // Thumbprint of the key of RFC 7638 3.1 with the token of RFC 8555 8.1, computed with openssl.
  const key = { algorithm: 'RS256', thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } as never;
  expect(dns01Value('LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0', key)).toBe(
    '_cC5rvB9vM8qzT3MTBcTeVpQwtbNypBXyQnE4fhM9QQ',
  );
});

test('a generated key is P-256, and its PEM is the same key again', async () => {
  const { pem, key } = await generateAccountKey();
  expect(key.algorithm).toBe('ES256');
  const again = await readAccountKey(pem);
  expect(again.thumbprint).toBe(key.thumbprint);
  const data = Buffer.from('data');
  const publicKey = createPrivateKey(pem).export({ format: 'jwk' });
  const { x, y, crv, kty } = publicKey;
  expect(
    verify(
      'sha256',
      data,
      { key: { x, y, crv, kty }, format: 'jwk', dsaEncoding: 'ieee-p1363' } as never,
      again.sign('data'),
    ),
  ).toBe(true);
});

test('printing a key in any way shows its thumbprint and nothing private', async () => {
  const { pem, key } = await generateAccountKey();
  const { d } = createPrivateKey(pem).export({ format: 'jwk' });
  for (const text of [
    inspect(key, { depth: 9, showHidden: true }),
    JSON.stringify(key),
    String(key),
    JSON.stringify({ ...key }),
  ]) {
    expect(text).not.toContain(d);
    expect(text).not.toContain('PRIVATE');
  }
  expect(inspect(key)).toContain(key.thumbprint);
});

test.each([
  ['nothing', '', /is empty/],
  ['white space', ' \n', /is empty/],
  ['other text', 'hunter2', /has no PEM block/],
  ['a JWK', '{"kty":"EC"}', /has no PEM block/],
  [
    'a certificate',
    '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
    /is a CERTIFICATE; it has to be an EC/,
  ],
  ['a public key', '-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n', /is a PUBLIC KEY/],
  [
    'an encrypted key',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----',
    /is encrypted/,
  ],
  ['a damaged key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', /is damaged/],
  ['a short RSA key', rsa(1024), /RSA of 1024 bits; ACME servers take 2048 to 4096/],
  ['another curve', ec('secp256k1'), /curve secp256k1; ACME servers take P-256/],
  [
    'an Ed25519 key',
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    /is of type ed25519/,
  ],
])('%s is refused with what is wrong, and is not quoted', async (_what, text, message) => {
  const error = await readAccountKey(text).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(AccountKeyError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain('hunter2');
});

/** The first private scalar from 1 up whose public x begins with a zero octet. */
function keyWithShortX(): string {
  const curve = createECDH('prime256v1');
  for (let scalar = 1; ; scalar++) {
    const d = Buffer.alloc(32);
    d.writeUInt32BE(scalar, 28);
    curve.setPrivateKey(d);
    const point = curve.getPublicKey();
    if (point[1] !== 0) continue;
    const jwk = { kty: 'EC', crv: 'P-256', d, x: point.subarray(1, 33), y: point.subarray(33) };
    const encoded = Object.fromEntries(
      Object.entries(jwk).map(([name, part]) => [name, typeof part === 'string' ? part : part.toString('base64url')]),
    );
    return createPrivateKey({ key: encoded, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
  }
}
