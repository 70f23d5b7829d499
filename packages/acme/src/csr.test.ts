import 'reflect-metadata';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Pkcs10CertificateRequest, type SubjectAlternativeNameExtension } from '@peculiar/x509';
import { CertificateKeyError, createCertificateKey } from './certificate-key.ts';
import { CsrError, createCsr } from './csr.ts';

async function read(der: Uint8Array) {
  const request = new Pkcs10CertificateRequest(Buffer.from(der));
  const names = (request.getExtension('2.5.29.17') as SubjectAlternativeNameExtension).names.items;
  return { request, names: names.map(({ type, value }) => `${type}:${value}`) };
}

describe('CSR, read back by another library', () => {
  test.each([
    ['ECDSA' as const, 256, 'ECDSA'],
    ['ECDSA' as const, 384, 'ECDSA'],
    ['RSA' as const, 2048, 'RSASSA-PKCS1-v1_5'],
  ])('%s %d: signed by its own key, every name in the SAN, subject empty', async (algorithm, size, expected) => {
    const keyPem = await createCertificateKey({ algorithm, size });
    const { request, names } = await read(await createCsr(['example.com', '*.example.com'], keyPem));
    expect(await request.verify()).toBe(true);
    expect(names).toEqual(['dns:example.com', 'dns:*.example.com']);
    expect(request.subject).toBe('');
    expect(request.signatureAlgorithm).toMatchObject({ name: expected });
    expect(request.extensions).toHaveLength(1);
  });

  test.each([1, 4, 5, 100, 2000])('%d names keep their lengths right in DER', async (count) => {
    const wanted = Array.from({ length: count }, (_, i) => `host-${i}.some-domain.example`);
    const { request, names } = await read(await createCsr(wanted, await createCertificateKey({ algorithm: 'ECDSA' })));
    expect(names).toEqual(wanted.map((name) => `dns:${name}`));
    expect(await request.verify()).toBe(true);
  });

  test('a name given twice is in the SAN once', async () => {
    const { names } = await read(
      await createCsr(['a.example', 'a.example'], await createCertificateKey({ algorithm: 'ECDSA' })),
    );
    expect(names).toEqual(['dns:a.example']);
  });

  test.each([
    ['münchen.example', /A-label form; write IDNs as xn--/],
    ['a..example', /no DNS name/],
    ['*.*.example', /no DNS name/],
    ['a.example.', /no DNS name/],
    ['a b.example', /no DNS name/],
    ['', /no DNS name/],
    [`${'a'.repeat(64)}.example`, /no DNS name/],
  ])('the name "%s" is refused', async (name, message) => {
    await expect(createCsr([name], await createCertificateKey({ algorithm: 'ECDSA' }))).rejects.toThrow(message);
  });

  test('A-labels and underscores pass', async () => {
    const wanted = ['xn--mnchen-3ya.example', '_sip.example', 'localhost'];
    const { names } = await read(await createCsr(wanted, await createCertificateKey({ algorithm: 'ECDSA' })));
    expect(names).toEqual(wanted.map((name) => `dns:${name}`));
  });

  test('no names, no key, a key of another sort: each says so', async () => {
    const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await expect(createCsr([], ed25519)).rejects.toThrow('at least one name');
    await expect(createCsr(['a.example'], 'nothing')).rejects.toThrow(CsrError);
    await expect(createCsr(['a.example'], ed25519)).rejects.toThrow('of type ed25519');
  });
});

describe('certificate key', () => {
  test.each([
    [{ algorithm: 'ECDSA' as const }, 'prime256v1'],
    [{ algorithm: 'ECDSA' as const, size: 384 }, 'secp384r1'],
    [{ algorithm: 'RSA' as const }, 2048],
    [{ algorithm: 'RSA' as const, size: 3072 }, 3072],
  ])('%j', async (options, expected) => {
    const details = createPrivateKey(await createCertificateKey(options)).asymmetricKeyDetails;
    expect(details?.namedCurve ?? details?.modulusLength).toBe(expected);
  });

  test.each([
    [{ algorithm: 'ECDSA' as const, size: 521 }, 'An ECDSA key has 256 or 384 bits, not 521.'],
    [{ algorithm: 'RSA' as const, size: 1024 }, 'An RSA key has 2048, 3072 or 4096 bits, not 1024.'],
  ])('%j is refused: public CAs take none of that size', async (options, message) => {
    await expect(createCertificateKey(options)).rejects.toThrow(new CertificateKeyError(message));
  });
});
