import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { EgressError } from './egress.ts';

/** Whose certificates are trusted: the system's roots and these bundles. */
export interface Trust {
  readonly bundles: readonly string[];
  /** Made on first use and then shared: reading 150 roots takes milliseconds. */
  context(): SecureContext;
}

export function createTrust(bundles: readonly string[]): Trust {
  let context: SecureContext | undefined;
  return {
    bundles,
    context() {
      context ??= createSecureContext(bundles.length === 0 ? {} : { ca: [...systemRoots(), ...bundles] });
      return context;
    },
  };
}

/** @throws EgressError of kind `tls` when the text holds no certificate or a broken one: OpenSSL would ignore it */
export function checkBundle(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0)
    throw new EgressError(
      'tls',
      'caBundle holds no certificate; it has to be PEM text with "BEGIN CERTIFICATE" lines',
      false,
    );
  certificates.forEach((certificate, at) => {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new EgressError(
        'tls',
        `caBundle: certificate ${at + 1} of ${certificates.length} cannot be read`,
        false,
        cause,
      );
    }
  });
  return certificates.join('\n');
}

/** What Node trusts by default, NODE_EXTRA_CA_CERTS included: passing `ca` replaces all of it. */
function systemRoots(): readonly string[] {
  // Node 22.15 and later.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const extra = process.env.NODE_EXTRA_CA_CERTS;
  if (extra === undefined || extra === '') return rootCertificates;
  try {
    return [...rootCertificates, readFileSync(extra, 'utf8')];
  } catch {
    // Node itself has warned about it at the start.
    return rootCertificates;
  }
}
