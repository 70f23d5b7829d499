import { AsyncLocalStorage } from 'node:async_hooks';
import dgram from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import net from 'node:net';
import { isOfEgress } from './sdk-https-agent.ts';

// Servers of the fixture may run in this process: only what follows from the provider's own calls counts.
const underway = new AsyncLocalStorage<'provider' | 'egress'>();

/** What `send` opens counts as opened by the egress. */
export function throughEgress<T>(send: () => T): T {
  return underway.run('egress', send);
}

/**
 * Runs `work` and tells what was sent meanwhile past {@link throughEgress}: connections and datagrams, none of which get
 * out, and requests of Node's HTTP client and of undici, which may use a connection from before.
 */
export async function sentPastEgress(work: () => Promise<void>): Promise<readonly string[]> {
  const past: string[] = [];
  const see = (what: string): boolean => {
    if (underway.getStore() !== 'provider') return false;
    past.push(what);
    return true;
  };
  const refuse = (what: string): void => {
    if (see(what)) throw new Error('the conformance suite refuses sockets past the egress');
  };
  const restore = [
    replace(net.Socket.prototype, 'connect', () => refuse('a TCP connection')),
    replace(dgram.Socket.prototype, 'bind', () => refuse('a UDP socket')),
    replace(dgram.Socket.prototype, 'send', () => refuse('a datagram')),
  ];
  const listeners = ['http.client.request.start', 'undici:request:create'].map((channel) => {
    const listener = (message: unknown): void => {
      const { agent } = (message as { readonly request: { readonly agent?: object } }).request;
      if (agent === undefined || !isOfEgress(agent)) see(`a request of ${channel.split(/[.:]/)[0]}`);
    };
    subscribe(channel, listener);
    return () => unsubscribe(channel, listener);
  });
  try {
    await underway.run('provider', work);
  } finally {
    for (const undo of [...restore, ...listeners]) undo();
  }
  return past;
}

/** `first` runs before each call of the method and may throw in its place. */
function replace<T extends object>(prototype: T, method: keyof T & string, first: () => void): () => void {
  const original = prototype[method] as (...args: unknown[]) => unknown;
  const put = (value: unknown): void => void Object.assign(prototype, { [method]: value });
  put(function (this: unknown, ...args: unknown[]) {
    first();
    return original.apply(this, args);
  });
  return () => put(original);
}
