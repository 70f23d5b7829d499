import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Clock, RandomBytes } from '@zoneproof/core';
import type { Credentials } from './credentials.ts';

/** A request to sign. `path` has its query. */
export interface UnsignedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

export interface SignedRequest {
  readonly url: string;
  readonly authorization: string;
}

/** Signs for the host of `origin`: https://techdocs.akamai.com/developer/docs/authenticate-with-edgegrid */
export function signRequest(
  { method, path, body }: UnsignedRequest,
  origin: string,
  { clientToken, clientSecret, accessToken }: Credentials,
  { clock, random }: { readonly clock: Clock; readonly random: RandomBytes },
): SignedRequest {
  const timestamp = `${new Date(clock.now()).toISOString().slice(0, 19).replaceAll('-', '')}+0000`;
  const { url, headers } = loadAuth().generateAuth(
    { method, path, headers: {}, ...(body === undefined ? {} : { body }) },
    clientToken,
    clientSecret,
    accessToken,
    origin,
    maxBody,
    uuid(random),
    timestamp,
  );
  return { url, authorization: headers.Authorization };
}

/** max-body of .edgerc: of a longer body only the start is signed. */
export const maxBody = 131_072;

/** The part of akamai-edgegrid/src/auth.js that is used; the package declares no types for it. */
interface EdgeGridAuth {
  generateAuth(
    request: { method: string; path: string; headers: object; body?: string },
    clientToken: string,
    clientSecret: string,
    accessToken: string,
    host: string,
    maxBody: number,
    nonce: string,
    timestamp: string,
  ): { readonly url: string; readonly headers: { readonly Authorization: string } };
}

let auth: EdgeGridAuth | undefined;

/**
 * Loads only the signing module: the main one brings axios and puts two interceptors on the global instance for each
 * client. `exports` of the package leaves no other way to it than its path.
 */
function loadAuth(): EdgeGridAuth {
  if (auth !== undefined) return auth;
  const require = createRequire(import.meta.url);
  const src = join(dirname(require.resolve('akamai-edgegrid')), 'src');
  auth = withoutLogVariables(() => {
    const { enableLogging } = require(join(src, 'logger.js')) as { enableLogging(on: boolean): void };
    enableLogging(false);
    return require(join(src, 'auth.js')) as EdgeGridAuth;
  });
  return auth;
}

/** With one of these set, the package writes the signing key of each request to the log. */
function withoutLogVariables<T>(load: () => T): T {
  const saved = ['AKAMAI_LOG_LEVEL', 'AKAMAI_LOG_PRETTY'].map((name) => [name, process.env[name]] as const);
  for (const [name] of saved) delete process.env[name];
  try {
    return load();
  } finally {
    for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
  }
}

function uuid(random: RandomBytes): string {
  const octets = Buffer.from(random(16));
  octets[6] = ((octets[6] as number) & 0x0f) | 0x40;
  octets[8] = ((octets[8] as number) & 0x3f) | 0x80;
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
