import { X509Certificate } from 'node:crypto';
import type { CertificateSpec } from '../resources/types.ts';

/**
 * Why a certificate that zoneproof did not issue is not the one that is declared, beside its names: the key, or the
 * Issuer that cert-manager wrote down for it. Completes "The stored certificate ..."; undefined when it will do.
 */
export function whyForeignUnfit(
  pemChain: string,
  annotations: Readonly<Record<string, string>>,
  spec: CertificateSpec,
): string | undefined {
  const { algorithm = 'ECDSA', size = algorithm === 'RSA' ? 2048 : 256 } = spec.privateKey ?? {};
  const held = keyOf(pemChain);
  if (held !== `${algorithm} ${size}`) return `has a key of ${held} bits, not of ${algorithm} ${size}`;
  const name = annotations['cert-manager.io/issuer-name'];
  if (name === undefined) return undefined;
  const kind = annotations['cert-manager.io/issuer-kind'] ?? 'Issuer';
  const { kind: wanted = 'Issuer' } = spec.issuerRef;
  return name === spec.issuerRef.name && kind === wanted
    ? undefined
    : `is from cert-manager's ${kind} ${name}, not from ${wanted} ${spec.issuerRef.name}`;
}

/** `RSA 2048`, `ECDSA 256`. */
function keyOf(pemChain: string): string {
  const { asymmetricKeyType, asymmetricKeyDetails = {} } = new X509Certificate(pemChain).publicKey;
  if (asymmetricKeyType === 'rsa') return `RSA ${asymmetricKeyDetails.modulusLength}`;
  const sizes: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 };
  if (asymmetricKeyType === 'ec') return `ECDSA ${sizes[asymmetricKeyDetails.namedCurve ?? ''] ?? 'of another curve'}`;
  return String(asymmetricKeyType);
}
