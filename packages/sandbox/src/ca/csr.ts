import 'reflect-metadata';
import { createPublicKey, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { PublicKey } from './jws.ts';
import { Problem } from './problem.ts';

/**
 * Reads a CSR in base64url and checks it against the order (RFC 8555 7.4).
 *
 * @throws Problem badCSR, badPublicKey
 */
export async function readCsr(
  csr: string,
  order: { names: readonly string[]; accountKey: PublicKey },
): Promise<Pkcs10CertificateRequest> {
  if (!/^[\w-]+$/.test(csr)) throw badCsr('it is not base64url without padding');
  let request: Pkcs10CertificateRequest;
  let requested: string[];
  let signed: boolean;
  try {
    request = new Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
    requested = subjectAltNames(request);
    signed = await request.verify(webcrypto);
    await checkKey(request, order.accountKey);
  } catch (error) {
    throw error instanceof Problem ? error : badCsr('it cannot be read as PKCS #10');
  }
  if (!signed) throw badCsr('its signature does not fit its key');
  const wanted = new Set(order.names);
  const got = new Set(requested);
  const missing = order.names.filter((name) => !got.has(name));
  const extra = requested.filter((name) => !wanted.has(name));
  if (missing.length + extra.length > 0)
    throw badCsr(
      `its names are not the order's (missing: ${missing.join(', ') || 'none'}; more: ${extra.join(', ') || 'none'})`,
    );
  for (const commonName of request.subjectName.getField('CN'))
    if (!got.has(commonName.toLowerCase()))
      throw badCsr(`its common name ${commonName} is none of its subjectAltNames`);
  return request;
}

function subjectAltNames(request: Pkcs10CertificateRequest): string[] {
  const extension = request.extensions.find((one) => one instanceof SubjectAlternativeNameExtension);
  if (!extension) throw badCsr('it has no subjectAltName');
  return extension.names.items.map((name) => {
    if (name.type !== 'dns') throw badCsr(`it asks for a subjectAltName of type ${name.type}`);
    return name.value.toLowerCase();
  });
}

async function checkKey(request: Pkcs10CertificateRequest, accountKey: PublicKey): Promise<void> {
  const key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  const strong =
    key.asymmetricKeyType === 'rsa'
      ? [2048, 3072, 4096].includes(modulusLength ?? 0)
      : key.asymmetricKeyType === 'ec' && ['prime256v1', 'secp384r1'].includes(namedCurve ?? '');
  if (!strong)
    throw new Problem('badPublicKey', 'certificate keys are EC P-256 or P-384, or RSA of 2048, 3072 or 4096 bits');
  if ((await calculateJwkThumbprint(key.export({ format: 'jwk' }) as JWK)) === accountKey.thumbprint)
    throw badCsr('its key is the account key (RFC 8555 11.1)');
}

const badCsr = (detail: string): Problem => new Problem('badCSR', `the CSR is refused: ${detail}`);
