import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  type PublicKeyType,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface IssueOptions {
  /** The request to issue for: its key and, unless `names` says otherwise, its names. */
  readonly csrDer: Uint8Array;
  readonly names?: readonly string[];
  readonly notBefore?: number;
  readonly notAfter?: number;
}

/** Leaf and intermediate of a CA made for the occasion, written by another library than the one under test. */
export async function issueChain(o: IssueOptions): Promise<{ readonly pemChain: string; readonly pems: string[] }> {
  const request = new Pkcs10CertificateRequest(Buffer.from(o.csrDer));
  if (!(await request.verify())) throw new Error('the CSR is not signed by its own key');
  const issuer = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const validity = {
    notBefore: new Date(o.notBefore ?? Date.now() - 3600_000),
    notAfter: new Date(o.notAfter ?? Date.now() + 90 * 24 * 3600_000),
  };
  const intermediate = await X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=Fake Intermediate, O=Test',
    issuer: 'CN=Fake Root',
    ...validity,
    signingKey: (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])).privateKey,
    publicKey: issuer.publicKey as PublicKeyType,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  });
  const leaf = await X509CertificateGenerator.create({
    serialNumber: '0087654321',
    subject: '',
    issuer: intermediate.subject,
    ...validity,
    signingKey: issuer.privateKey,
    publicKey: request.publicKey,
    signingAlgorithm: algorithm,
    extensions: [
      o.names
        ? new SubjectAlternativeNameExtension(o.names.map((value) => ({ type: 'dns', value })))
        : request.getExtension('2.5.29.17')!,
    ],
  });
  const pems = [leaf, intermediate].map((certificate) => `${certificate.toString('pem')}\n`);
  return { pemChain: pems.join(''), pems };
}
