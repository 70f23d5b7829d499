import { setMaxListeners } from 'node:events';

/**
 * One fetch for all who want its value at the same time. A waiter that is aborted leaves the others alone; the fetch
 * is aborted when none is left.
 */
export class SharedFetch<T> {
  readonly #fetch: (signal: AbortSignal) => Promise<T>;
  #current: { readonly value: Promise<T>; readonly abort: AbortController; waiters: number } | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  async get(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const current = this.#current ?? this.#start();
    current.waiters++;
    try {
      return await untilAborted(current.value, signal);
    } finally {
      if (--current.waiters === 0) {
        if (this.#current === current) this.#current = undefined;
        current.abort.abort();
      }
    }
  }

  #start() {
    const abort = new AbortController();
    this.#current = { value: this.#fetch(abort.signal), abort, waiters: 0 };
    return this.#current;
  }
}

function untilAborted<T>(value: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Many waiters with one signal between them would look to Node like a leak of listeners. Signals derived from it are
    // no way out: Node 20 keeps some 55 octets of each for as long as the first one lives.
    setMaxListeners(0, signal);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
