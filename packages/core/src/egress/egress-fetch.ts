import type { Dispatcher } from 'undici';
import type { EgressDispatcher } from './dispatcher.ts';

/**
 * The global fetch's form on the egress's dispatcher. Redirects are answers: following one would carry a vendor's key
 * to another host.
 */
export function createFetch(dispatcher: EgressDispatcher, userAgent: string): typeof globalThis.fetch {
  return async (input, init) => {
    const undici = await dispatcher.load();
    // A Request of Node's own undici is foreign to this one.
    const request = input instanceof Request ? new Request(input, init) : undefined;
    const headers = new undici.Headers([...new Headers(request?.headers ?? init?.headers)]);
    if (!headers.has('user-agent')) headers.set('user-agent', userAgent);
    const options = {
      redirect: 'manual' as const,
      ...(request === undefined
        ? init
        : { method: request.method, body: request.body, signal: request.signal, duplex: 'half' as const }),
      headers,
      dispatcher: dispatcher as unknown as Dispatcher,
    };
    const url = request?.url ?? (input as string | URL);
    return (await undici.fetch(url, options as Parameters<typeof undici.fetch>[1])) as unknown as Response;
  };
}
