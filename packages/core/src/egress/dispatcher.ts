import { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { type ProxyChoice, proxyAuthorization } from './proxy.ts';
import type { Trust } from './trust.ts';

type Undici = typeof import('undici');

export interface DispatcherOptions {
  readonly guard: AddressGuard;
  readonly trust: Trust;
  readonly proxyFor: ProxyChoice;
  readonly timeoutMs: number;
  /** What it throws stops a request. `exchange` asks once more when the connection is ready. */
  readonly beforeSend?: (() => void) | undefined;
  /** Offer HTTP/2 as well, which resolvers over HTTPS may insist on (RFC 8484 5.2). A proxy's tunnel carries HTTP/1.1. */
  readonly http2?: boolean;
}

const connectTimeoutMs = 10_000;
// SDKs read whole lists of zones; `Egress.http` has its own, smaller cap.
const maxSdkBytes = 32 * 1024 * 1024;
// Per origin. A TLS handshake costs more than many requests, so a burst waits for a connection rather than opening one.
const connections = 16;

/**
 * An undici dispatcher that loads undici when the first request comes (80 ms, which commands without traffic save),
 * and sends each origin directly or through its proxy.
 */
export class EgressDispatcher extends EventEmitter {
  readonly #options: DispatcherOptions;
  readonly #routes = new Map<string, Dispatcher>();
  #undici: Undici | undefined;
  #direct: Dispatcher | undefined;
  #closed = false;

  constructor(options: DispatcherOptions) {
    super();
    this.#options = options;
  }

  /** So that callers need not go through promises for every request. */
  get loaded(): boolean {
    return this.#undici !== undefined;
  }

  async load(): Promise<Undici> {
    this.#undici ??= await import('undici');
    return this.#undici;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get destroyed(): boolean {
    return this.#closed;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#options.beforeSend?.();
    const undici = this.#undici;
    if (undici !== undefined) return this.#route(undici, String(options.origin)).dispatch(options, handler);
    this.load()
      .then(() => this.dispatch(options, handler))
      .catch((error: Error) => {
        if (handler.onResponseError !== undefined) handler.onResponseError(noController, error);
        else handler.onError?.(error);
      });
    return true;
  }

  async close(): Promise<void> {
    await this.destroy();
  }

  async destroy(): Promise<void> {
    this.#closed = true;
    const agents = new Set([...this.#routes.values(), ...(this.#direct === undefined ? [] : [this.#direct])]);
    await Promise.all([...agents].map((agent) => agent.destroy()));
  }

  #route(undici: Undici, origin: string): Dispatcher {
    if (this.#closed) throw new undici.errors.ClientDestroyedError();
    let agent = this.#routes.get(origin);
    if (agent === undefined) {
      const proxy = this.#options.proxyFor(new URL(origin));
      agent = proxy === undefined ? this.#directAgent(undici) : this.#proxyAgent(undici, proxy);
      this.#routes.set(origin, agent);
    }
    return agent;
  }

  #directAgent(undici: Undici): Dispatcher {
    const { guard, trust } = this.#options;
    if (this.#direct === undefined) {
      const connect = undici.buildConnector({
        timeout: connectTimeoutMs,
        lookup: guard.lookup,
        allowH2: this.#options.http2 ?? false,
        // Node cuts an attempt off after 250 ms by default, which far servers need.
        autoSelectFamilyAttemptTimeout: 500,
        ...trust.checks(),
      });
      this.#direct = new undici.Agent({
        ...this.#agentOptions(),
        connect(options, callback) {
          const refusal = guard.refusal(options.hostname.replace(/^\[|\]$/g, ''));
          if (refusal !== undefined) callback(refusal, null);
          else connect(options, callback);
        },
      });
    }
    return this.#direct;
  }

  /** The proxy's own address is the operator's choice; the target is held against the rule as far as it is known here. */
  #proxyAgent(undici: Undici, proxy: URL): Dispatcher {
    const { guard, trust } = this.#options;
    const authorization = proxyAuthorization(proxy);
    const agent = new undici.ProxyAgent({
      ...this.#agentOptions(),
      uri: proxy.origin,
      ...(authorization !== undefined && { token: authorization }),
      proxyTls: { timeout: connectTimeoutMs, ...trust.checks() },
      requestTls: { timeout: connectTimeoutMs, ...trust.checks() },
    });
    return agent.compose((dispatch) => (options, handler) => {
      const refusal = guard.refusalBehindProxy(new URL(String(options.origin)).hostname.replace(/^\[|\]$/g, ''));
      if (refusal !== undefined) throw refusal;
      return dispatch(options, handler);
    });
  }

  #agentOptions() {
    return {
      connections,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      allowH2: this.#options.http2 ?? false,
      headersTimeout: this.#options.timeoutMs,
      bodyTimeout: this.#options.timeoutMs,
      maxResponseSize: maxSdkBytes,
    };
  }
}

const noController: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
