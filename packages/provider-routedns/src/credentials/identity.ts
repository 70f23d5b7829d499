import { type CallContext, type Clock, ProviderError } from '@zoneproof/core';

/** What requests are signed with. */
export interface Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Epoch milliseconds; of a session. */
  readonly expiresAt?: number;
}

/** Where identities come from. */
export interface Credentials {
  /** @throws ProviderError */
  get(call: CallContext): Promise<Identity>;
  /** What is remembered is fetched anew next time: AWS has refused it. */
  forget(): void;
}

const refreshBeforeMs = 5 * 60_000;

/**
 * Keeps an identity that expires until 5 minutes before it does; one fetch at a time, however many calls wait. What
 * could not be renewed is used while it lasts.
 */
export function remember(fetch: (call: CallContext) => Promise<Identity>, clock: Clock): Credentials {
  let known: Identity | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const lasts = (marginMs: number) => known?.expiresAt !== undefined && known.expiresAt - clock.now() > marginMs;

  async function renew(call: CallContext): Promise<Identity> {
    if (known !== undefined && lasts(refreshBeforeMs)) return known;
    call.signal.throwIfAborted();
    try {
      known = await fetch(call);
    } catch (error) {
      if (known === undefined || !lasts(0) || call.signal.aborted) throw error;
    }
    return known;
  }

  return {
    async get(call) {
      if (known !== undefined && lasts(refreshBeforeMs)) return known;
      const mine = turn.then(() => renew(call));
      turn = mine.catch(() => undefined);
      return orAborted(mine, call.signal);
    },
    forget() {
      known = undefined;
    },
  };
}

/** Does not wait for another call's fetch longer than its own signal lets it. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () =>
      reject(new ProviderError({ kind: 'aborted', message: 'stopped while waiting for credentials', sent: false }));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
