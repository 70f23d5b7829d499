import { generateKeyPair, generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';

/** The algorithm or size is not one that public CAs accept. */
export class CertificateKeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CertificateKeyError';
  }
}

/**
 * A new private key for a certificate as PKCS #8 PEM: ECDSA 256 (default) or 384, RSA 2048 (default), 3072 or 4096.
 * @throws CertificateKeyError
 */
export async function createCertificateKey(o: {
  readonly algorithm: 'ECDSA' | 'RSA';
  readonly size?: number;
}): Promise<string> {
  switch (o.algorithm) {
    case 'ECDSA':
      return createEcKey(o.size ?? 256);
    case 'RSA':
      return createRsaKey(o.size ?? 2048);
  }
}

function createEcKey(size: number): string {
  if (size !== 256 && size !== 384) throw new CertificateKeyError(`An ECDSA key has 256 or 384 bits, not ${size}.`);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: size === 256 ? 'P-256' : 'P-384' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function createRsaKey(size: number): Promise<string> {
  if (![2048, 3072, 4096].includes(size)) {
    throw new CertificateKeyError(`An RSA key has 2048, 3072 or 4096 bits, not ${size}.`);
  }
  // Takes up to seconds, so off the main thread.
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: size });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
