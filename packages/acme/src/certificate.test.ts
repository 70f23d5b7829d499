import { beforeAll, describe, expect, test } from '@jest/globals';
import { CertificateMismatchError, certificateFacts, verifyCertificate } from './certificate.ts';
import { createCertificateKey } from './certificate-key.ts';
import { createCsr } from './csr.ts';
import { issueChain } from './testing/issue.ts';

const names = ['example.com', '*.example.com'];
const notBefore = Date.parse('2026-11-01T00:00:00Z');
const notAfter = Date.parse('2026-12-16T00:00:00Z');
const now = Date.parse('2026-11-01T00:30:00Z');
let keyPem: string;
let csrDer: Uint8Array;
let leaf: string;
let intermediate: string;
let other: string;

beforeAll(async () => {
  keyPem = await createCertificateKey({ algorithm: 'ECDSA' });
  csrDer = await createCsr(names, keyPem);
  [leaf = '', intermediate = ''] = (await issueChain({ csrDer, notBefore, notAfter })).pems;
  [, other = ''] = (await issueChain({ csrDer, notBefore, notAfter })).pems;
});

const verify = (o: Partial<Parameters<typeof verifyCertificate>[0]> = {}) =>
  verifyCertificate({ pemChain: leaf + intermediate, names, keyPem, now, ...o });

function mismatch(act: () => unknown): CertificateMismatchError {
  try {
    act();
  } catch (error) {
    if (error instanceof CertificateMismatchError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('before a certificate is stored', () => {
  test('the right one passes and tells its facts', () => {
    expect(verify()).toEqual({
      notBefore,
      notAfter,
      serial: expect.stringMatching(/^0*87654321$/),
      issuer: 'Fake Intermediate',
      names,
      chainLength: 2,
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    });
  });

  test('names are compared as sets, whatever their order and case', () => {
    expect(verify({ names: ['*.EXAMPLE.com', 'example.com'] }).names).toEqual(names);
  });

  test('a leaf alone is a chain: a private CA may sign from its root', () => {
    expect(verify({ pemChain: leaf }).chainLength).toBe(1);
  });

  test('a certificate for another key is refused', async () => {
    const error = mismatch(() => verify({ keyPem: otherKey }));
    expect(error).toMatchObject({ reason: 'key', message: expect.stringContaining('for another key') });
  });

  test('missing and extra names are refused, and listed', () => {
    expect(mismatch(() => verify({ names: ['example.com', 'www.example.com'] }))).toMatchObject({
      reason: 'names',
      message: expect.stringMatching(/missing www\.example\.com; not ordered \*\.example\.com/),
    });
    expect(mismatch(() => verify({ names: [...names, 'a.example'] })).reason).toBe('names');
    expect(mismatch(() => verify({ names: ['example.com'] })).reason).toBe('names');
  });

  test('a name that contains a separator is not taken for two names', async () => {
    const { pemChain } = await issueChain({ csrDer, names: ['example.com, DNS:*.example.com'], notBefore, notAfter });
    expect(mismatch(() => verify({ pemChain })).reason).toBe('names');
  });

  test.each([
    ['a chain in the wrong order', () => intermediate + leaf, 'key'],
    ['an intermediate of another CA with the same name', () => leaf + other, 'chain'],
    ['the leaf twice', () => leaf + leaf, 'chain'],
    ['something between', () => leaf + other + intermediate, 'chain'],
    ['no certificate', () => 'hello', 'unreadable'],
    ['a damaged certificate', () => leaf.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), 'unreadable'],
    ['a private key beside it', () => leaf + keyPem, 'unreadable'],
  ])('%s is refused', (_what, pemChain, reason) => {
    expect(mismatch(() => verify({ pemChain: pemChain() })).reason).toBe(reason);
  });

  test.each([
    ['over', notAfter + 1, 'dates'],
    ['not begun, by more than clocks differ', notBefore - 3600_001, 'dates'],
  ])('a certificate whose time is %s is refused with both times', (_what, at, reason) => {
    const error = mismatch(() => verify({ now: at }));
    expect(error.reason).toBe(reason);
    expect(error.message).toContain('2026-11-01T00:00:00.000Z to 2026-12-16T00:00:00.000Z');
    expect(error.message).toContain(new Date(at).toISOString());
  });

  test('a clock that is a little behind is no reason', () => {
    expect(verify({ now: notBefore - 60_000 }).notBefore).toBe(notBefore);
  });

  test('an unreadable key says so and is not quoted', () => {
    const error = mismatch(() => verify({ keyPem: 'hunter2' }));
    expect(error.reason).toBe('key');
    expect(error.message).not.toContain('hunter2');
  });
});

test('the facts of a stored certificate need nothing but its PEM', () => {
  expect(certificateFacts(leaf)).toMatchObject({ notBefore, notAfter, names, chainLength: 1 });
  expect(() => certificateFacts('')).toThrow(CertificateMismatchError);
});

let otherKey: string;
beforeAll(async () => {
  otherKey = await createCertificateKey({ algorithm: 'ECDSA' });
});
