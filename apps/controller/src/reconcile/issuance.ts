import { createHash } from 'node:crypto';
import type { Certificate, CertificateSpec } from '../resources/types.ts';

/** A short word for everything that makes a certificate another one: names, issuer, key. */
export function issuanceHash(spec: CertificateSpec): string {
  const { algorithm = 'ECDSA', size } = spec.privateKey ?? {};
  const identity = [
    [...spec.dnsNames].sort(),
    spec.issuerRef.kind ?? 'Issuer',
    spec.issuerRef.name,
    algorithm,
    size ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
}

/** Follows from the Certificate and the number of the issuance, so that a repeat meets the same Order. */
export function orderName(certificate: Certificate, issuance: number): string {
  return `${certificate.metadata.name}-${issuance}`;
}

/** A label's value has at most 63 characters. */
export function orderLabelOf(order: string): string {
  if (order.length <= 63) return order;
  return `${order.slice(0, 46)}-${createHash('sha256').update(order).digest('hex').slice(0, 16)}`;
}

/** The Secret that keeps the new private key until the certificate is stored. */
export function orderKeyName(order: string): string {
  return `${order}-key`;
}
