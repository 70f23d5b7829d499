import { readFile } from 'node:fs/promises';
import { ProviderError } from '@zoneproof/core';

/** A token that the platform puts into a file, which `variable` names. Never quoted in an error. @throws ProviderError */
export async function readTokenFile(file: string, variable: string, providerName: string): Promise<string> {
  const fail = (why: string) => {
    const message = `${providerName}: ${file} of ${variable} ${why}. Check the volume that the platform mounts there.`;
    return new ProviderError({ kind: 'auth', message, sent: false });
  };
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fail(`cannot be read (${error.code})`);
  });
  const token = text.trim();
  if (token === '' || /\s/.test(token)) throw fail('holds no token');
  return token;
}
