import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { readPrivateKey } from './private-key.ts';

const pemOf = (curve: string, type: 'pkcs8' | 'sec1') =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type, format: 'pem' }).toString();

test.each([
  ['P-256 in PKCS #8', () => pemOf('P-256', 'pkcs8')],
  ['P-256 with other line ends and space around', () => `\n ${pemOf('P-256', 'pkcs8').replaceAll('\n', '\r\n')} \n`],
  ['P-256 in SEC1', () => pemOf('P-256', 'sec1')],
  ['P-384 in PKCS #8', () => pemOf('P-384', 'pkcs8')],
])('%s is the key that node:crypto reads', (_what, makePem) => {
  const pem = makePem();
  expect(readPrivateKey(pem).equals(createPrivateKey(pem.trim()))).toBe(true);
});

test('a point that is not on the curve is no key, whichever way it is read', () => {
  const der = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' });
  der[137]! ^= 1;
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  expect(() => readPrivateKey(pem)).toThrow();
});

test('a key that was cut short is no key', () => {
  const pem = pemOf('P-256', 'pkcs8').replace(/.{8}\n-----END/, '\n-----END');
  expect(() => readPrivateKey(pem)).toThrow();
});
