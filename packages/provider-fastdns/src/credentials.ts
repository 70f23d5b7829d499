import { ProviderError, type ProviderHost } from '@zoneproof/core';
import type { FastdnsConfig } from './config.ts';

export const credentialFields = ['clientTokenSecretRef', 'clientSecretSecretRef', 'accessTokenSecretRef'] as const;
export type CredentialField = (typeof credentialFields)[number];

/** What EdgeGrid signs with. Never printed. */
export interface Credentials {
  readonly clientToken: string;
  readonly clientSecret: string;
  readonly accessToken: string;
}

/** What is wrong with the text of an entry, as the end of a sentence; undefined when it may be right or is not there. Pure. */
export function credentialProblem(field: CredentialField, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const name = edgercNames[field];
  if (/^\s*\[|\b(client_token|client_secret|access_token|host)\s*=/m.test(text))
    return `holds the text of .edgerc; put only what stands after "${name} =" into it`;
  if (text === '') return `is empty; put the ${name} of the API client into it`;
  if (/\s/.test(text)) return `holds spaces or line breaks; put only the ${name} into it`;
  // Anything else would end its field of the Authorization header, or cannot be in a header at all.
  if (!/^[\x21-\x3a\x3c-\x7e]+$/.test(text)) return `holds characters that no ${name} has`;
  if (field === 'clientSecretSecretRef' && /^aka[a-z]-/.test(text))
    return 'holds a token; the client_secret does not start with "akab-"';
  return undefined;
}

/** Reads the three entries, at each use. The function throws ProviderError of kind `auth`. */
export function credentialReader(config: FastdnsConfig, host: ProviderHost): () => Promise<Credentials> {
  const handles = credentialFields.map((field) => ({ field, ref: config[field], handle: host.secret(config[field]) }));
  return async () => {
    const [clientToken = '', clientSecret = '', accessToken = ''] = await Promise.all(
      handles.map(async ({ field, ref, handle }) => {
        const text = (await handle.get()).text();
        const problem = credentialProblem(field, text);
        if (problem === undefined) return text;
        const message = `${host.providerName}: entry "${ref.key}" of Secret "${ref.name}" ${problem}.`;
        throw new ProviderError({ kind: 'auth', message, sent: false });
      }),
    );
    return { clientToken, clientSecret, accessToken };
  };
}

const edgercNames: Readonly<Record<CredentialField, string>> = {
  clientTokenSecretRef: 'client_token',
  clientSecretSecretRef: 'client_secret',
  accessTokenSecretRef: 'access_token',
};
