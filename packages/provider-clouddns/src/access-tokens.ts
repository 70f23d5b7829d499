import { type CallContext, isProviderError, ProviderError, type SecretValue } from '@zoneproof/core';

/** What an API request needs to be let in. */
export interface AccessToken {
  readonly value: SecretValue;
  /** Whose quota is used, where the credentials name a project for that: header `x-goog-user-project`. */
  readonly quotaProject?: string | undefined;
}

/** Credentials as they are now. */
export interface Credentials {
  /** Differs when they have changed; no secret. */
  readonly id: string;
  readonly quotaProject?: string | undefined;
  /** Exchanges them for an access token. @throws ProviderError, never with `sent` */
  exchange(call: CallContext): Promise<{ readonly value: SecretValue; readonly lifetimeMs: number }>;
}

/** Access tokens, each used until a minute before it expires. */
export interface AccessTokens {
  /** `isFresh`: it was given out for this very call. @throws ProviderError, never with `sent` */
  get(call: CallContext): Promise<{ readonly token: AccessToken; readonly isFresh: boolean }>;
  /** Not to be used again: it was refused. */
  drop(token: AccessToken): void;
}

const marginMs = 60_000;

/**
 * One token for all callers: `read` is asked each time, so that other credentials count at once, and callers that come
 * while one is fetched wait for it.
 */
export function createAccessTokens(
  at: string,
  now: () => number,
  read: (call: CallContext) => Promise<Credentials>,
): AccessTokens {
  let kept: { readonly id: string; readonly token: AccessToken; readonly until: number } | undefined;
  let fetching: { readonly id: string; readonly done: Promise<AccessToken> } | undefined;

  async function fetchToken(credentials: Credentials, call: CallContext): Promise<AccessToken> {
    const { value, lifetimeMs } = await credentials.exchange(call);
    const token = { value, quotaProject: credentials.quotaProject };
    kept = { id: credentials.id, token, until: now() + lifetimeMs - marginMs };
    return token;
  }

  return {
    async get(call) {
      for (;;) {
        const credentials = await read(call);
        if (call.signal.aborted) throw stopped(at);
        if (kept?.id === credentials.id && now() < kept.until) return { token: kept.token, isFresh: false };
        if (fetching?.id !== credentials.id) {
          const mine = { id: credentials.id, done: fetchToken(credentials, call) };
          fetching = mine;
          try {
            return { token: await mine.done, isFresh: true };
          } finally {
            if (fetching === mine) fetching = undefined;
          }
        }
        try {
          return { token: await unlessAborted(fetching.done, call.signal, at), isFresh: true };
        } catch (error) {
          // Whoever fetched it has stopped waiting, and others have not.
          if (call.signal.aborted || !isProviderError(error) || error.kind !== 'aborted') throw error;
        }
      }
    },
    drop(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, at: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(stopped(at));
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function stopped(at: string): ProviderError {
  return new ProviderError({
    kind: 'aborted',
    message: `${at}: stopped before an access token was there`,
    sent: false,
  });
}
