import { ProviderError, type ProviderHost, type SecretValue } from '@zoneproof/core';
import { createTsigKey, type TsigKey, toDnsName } from '@zoneproof/dns';
import { defaultAlgorithm, findAlgorithm } from './algorithm.ts';
import type { Rfc2136Config } from './config.ts';

/** The text of a Secret entry that is no TSIG secret. The message completes "entry X of Secret Y ...". */
export class TsigSecretError extends Error {}

/**
 * Standard base64 (RFC 4648 section 4); white space around it and missing padding are tolerated.
 *
 * @throws TsigSecretError, which never repeats any of the text
 */
export function decodeTsigSecret(secret: SecretValue): Uint8Array {
  const text = secret.text().trim();
  if (text === '') throw new TsigSecretError('is empty; it has to hold the TSIG secret in base64');
  if (/^[A-Za-z0-9_-]+=*$/.test(text) && /[_-]/.test(text))
    throw new TsigSecretError('is in the URL alphabet of base64 (with "-" or "_"); TSIG secrets use "+" and "/"');
  const digits = text.replace(/={0,2}$/, '');
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1)
    throw new TsigSecretError('is not base64; give the text between the quotes of "secret" in the key file');
  return Buffer.from(digits, 'base64');
}

/**
 * The key as the Secret holds it now, so that a rotated one works without a restart; undefined where updates are not
 * signed. The function throws ProviderError kind `auth`.
 */
export function createKeySource(config: Rfc2136Config, host: ProviderHost): () => Promise<TsigKey | undefined> {
  const { tsigKeyName, tsigAlgorithm = defaultAlgorithm, tsigSecretSecretRef: ref } = config;
  const algorithm = findAlgorithm(tsigAlgorithm);
  if (tsigKeyName === undefined || !ref || !algorithm) return () => Promise.resolve(undefined);
  const name = toDnsName(tsigKeyName);
  const handle = host.secret(ref);
  return async () => {
    const value = await handle.get();
    try {
      return createTsigKey({ name, algorithm, secret: decodeTsigSecret(value) });
    } catch (error) {
      if (!(error instanceof TsigSecretError)) throw error;
      const message = `${host.providerName}: entry "${ref.key}" of Secret "${ref.name}" ${error.message}.`;
      throw new ProviderError({ kind: 'auth', message });
    }
  };
}
