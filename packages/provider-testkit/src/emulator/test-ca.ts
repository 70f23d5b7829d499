import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate for localhost and 127.0.0.1 from a CA made for one emulator. */
export interface TestIdentity {
  /** PEM of the CA, for `caBundle`. */
  readonly caBundle: string;
  /** PEM of the server's key and certificate. */
  readonly key: string;
  readonly cert: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** The CA is forgotten at once: nothing else can be issued by it. Valid from a day ago for a week. */
export async function createTestIdentity(): Promise<TestIdentity> {
  const [caKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  const common = {
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 7 * 86_400_000),
    signingAlgorithm: algorithm,
  };
  const ca = await X509CertificateGenerator.createSelfSigned(
    {
      ...common,
      name: 'CN=provider-testkit CA',
      keys: caKeys,
      extensions: [new BasicConstraintsExtension(true, 0, true)],
    },
    webcrypto,
  );
  const server = await X509CertificateGenerator.create(
    {
      ...common,
      subject: 'CN=localhost',
      issuer: ca.subject,
      publicKey: serverKeys.publicKey,
      signingKey: caKeys.privateKey,
      extensions: [
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  return { caBundle: ca.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY'), cert: server.toString('pem') };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}
