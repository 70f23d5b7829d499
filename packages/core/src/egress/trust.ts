import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { EgressError } from './egress.ts';

/** What a TLS connection is checked by. */
export interface TlsChecks {
  readonly secureContext: SecureContext;
  /** Said each time: the environment (NODE_TLS_REJECT_UNAUTHORIZED) must not be able to switch the check off. */
  readonly rejectUnauthorized: true;
}

/** Whose certificates are trusted: these bundles, or without any the system's roots. */
export interface Trust {
  readonly bundles: readonly string[];
  /** The context is made on first use and then shared: reading 150 roots takes milliseconds. */
  checks(): TlsChecks;
}

export function createTrust(bundles: readonly string[]): Trust {
  let checks: TlsChecks | undefined;
  return {
    bundles,
    checks() {
      checks ??= {
        secureContext: createSecureContext(bundles.length === 0 ? {} : { ca: [...bundles] }),
        rejectUnauthorized: true,
      };
      return checks;
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
