import type { IncomingMessage } from 'node:http';
import type { Clock, RandomBytes, Timers } from '@zoneproof/core';
import { onAbort, pause, randomShare } from '@zoneproof/core';
import { isKubeApiError, KubeApiError, refusal } from './api-error.ts';
import { type ExchangeRequest, exchange, readBody } from './exchange.ts';
import { type Identity, KubeCredentials } from './kube-config.ts';
import { Places } from './places.ts';
import { readLines } from './watch-lines.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`; a PATCH has to say which kind of patch it is. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Of each try, default 30 s. */
  readonly timeoutMs?: number;
  /** False: one try, and at once, whatever else is under way: for a lease. Default true. */
  readonly retry?: boolean;
  /** Called right before the first byte of each try; what it throws stops the request and is thrown. */
  readonly beforeSend?: () => void;
}

export interface KubeWatch {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly signal: AbortSignal;
  /** A connection on which nothing came for so long is taken for dead. */
  readonly idleMs: number;
}

/** One API server, one identity. */
export interface KubeApi {
  readonly server: URL;
  /** Of the kubeconfig's context or the service account. */
  readonly namespace: string | undefined;
  /**
   * Sends a request and parses its answer. What certainly was not carried out (429, no connection) is repeated with
   * back-off; a GET also when the answer was lost or is a 5xx; a refusal, too, when the server was in trouble just
   * before. A refused identity is renewed once.
   *
   * @throws KubeApiError; its `unknownOutcome` tells when a write may have happened all the same
   */
  request(request: KubeRequest): Promise<unknown>;
  /**
   * The events of a watch as they come, parsed; ends when the server ends it.
   *
   * @throws KubeApiError when it is refused, breaks off, or falls silent
   */
  watch(watch: KubeWatch): AsyncIterable<unknown>;
  close(): void;
}

export interface KubeApiOptions {
  /** Path of a kubeconfig; absent: KUBECONFIG, `~/.kube/config`, then the service account of the pod. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  readonly userAgent: string;
  /** Called with each try of a request that has ended, for metrics. */
  readonly onRequest?: (request: EndedRequest) => void;
}

export interface EndedRequest {
  readonly method: KubeRequest['method'];
  readonly path: string;
  /** 0: there was no answer, or it was not sent at all. */
  readonly status: number;
  readonly durationMs: number;
}

/**
 * Reads the kubeconfig; nothing is sent yet.
 *
 * @throws KubeConfigError
 */
export async function connectKubeApi(options: KubeApiOptions): Promise<KubeApi> {
  return new HttpsKubeApi(options, await KubeCredentials.load(options));
}

const timeoutMs = 30_000;
/** How long tries are repeated. */
const patienceMs = 15_000;
/** Requests under way at once, each with a connection of its own. */
const places = 32;
/** A list page is some MB at most; a list that had to be read in one piece is the largest answer. */
const maxBodyBytes = 256 * 1024 * 1024;
/** Tokens of files are read again, those of commands looked at, at this pace. */
const identityAgeMs = 30_000;

/** After trouble a refusal may be none. */
const troubleMs = 60_000;

class HttpsKubeApi implements KubeApi {
  readonly #options: KubeApiOptions;
  readonly #credentials: KubeCredentials;
  readonly #places = new Places(places);
  /** When the server last gave no answer or was in trouble. */
  #troubleAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #identity: { readonly at: number; readonly of: Promise<Identity> } | undefined;

  constructor(options: KubeApiOptions, credentials: KubeCredentials) {
    this.#options = options;
    this.#credentials = credentials;
  }

  get server(): URL {
    return this.#credentials.server;
  }

  get namespace(): string | undefined {
    return this.#credentials.namespace;
  }

  async request(request: KubeRequest): Promise<unknown> {
    const { clock, timers, random } = this.#options;
    const giveUpAt = clock.now() + (request.retry === false ? 0 : patienceMs);
    const signal = request.signal ?? new AbortController().signal;
    let renewed = false;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryRequest(request);
      } catch (error) {
        if (!isKubeApiError(error)) throw error;
        if (error.status === 401 && !renewed) {
          renewed = true;
          this.#renewIdentity();
          continue;
        }
        if (!this.#mayPass(error) || error.unknownOutcome) throw error;
        const waitMs = error.retryAfterMs ?? Math.min(5_000, 100 * 2 ** tries);
        const pauseMs = waitMs * (1 + randomShare(random) / 4);
        if (clock.now() + pauseMs > giveUpAt) throw error;
        await pause(timers, pauseMs, signal);
        signal.throwIfAborted();
      }
    }
  }

  async *watch(watch: KubeWatch): AsyncGenerator<unknown> {
    const request = { method: 'GET', path: watch.path, query: watch.query, signal: watch.signal } as const;
    const wire = await this.#wire({ ...request, ...(watch.accept === undefined ? {} : { accept: watch.accept }) });
    const response = await this.#exchange(wire);
    const forget = onAbort(watch.signal, () => response.destroy());
    try {
      if (response.statusCode !== 200) {
        const error = await this.#refusal(wire, response);
        if (error.status === 401) this.#renewIdentity();
        throw error;
      }
      yield* readLines(response, wire, watch.idleMs, this.#options.clock);
    } catch (error) {
      throw watch.signal.aborted ? watch.signal.reason : error;
    } finally {
      forget();
      response.destroy();
    }
  }

  close(): void {
    this.#credentials.close();
  }

  async #tryRequest(request: KubeRequest): Promise<unknown> {
    const leave = request.retry === false ? () => {} : await this.#places.take(request.signal);
    const { clock, onRequest } = this.#options;
    const startedAt = clock.now();
    let status = 0;
    try {
      const wire = await this.#wire(request);
      const response = await this.#exchange(wire);
      status = response.statusCode ?? 0;
      if (status >= 300) throw await this.#refusal(wire, response);
      const text = await readBody(response, wire, maxBodyBytes);
      return parseAnswer(text, wire);
    } finally {
      leave();
      const { method, path } = request;
      onRequest?.({ method, path, status, durationMs: clock.now() - startedAt });
    }
  }

  async #exchange(wire: ExchangeRequest): Promise<IncomingMessage> {
    try {
      const response = await exchange(wire);
      if ((response.statusCode ?? 0) >= 500) this.#troubleAt = this.#options.clock.now();
      return response;
    } catch (error) {
      if (isKubeApiError(error)) this.#troubleAt = this.#options.clock.now();
      throw error;
    }
  }

  /** A server that has just started refuses everybody until it has read who has which rights, and which CRDs there are. */
  #mayPass({ status, reason, isTransient }: KubeApiError): boolean {
    const isRefusal = status === 401 || status === 403 || reason === 'NoSuchResource';
    return isTransient || (isRefusal && this.#options.clock.now() - this.#troubleAt < troubleMs);
  }

  async #refusal(wire: ExchangeRequest, response: IncomingMessage): Promise<KubeApiError> {
    const body = await readBody(response, wire, 1024 * 1024);
    const [path = wire.path] = wire.path.split('?');
    const status = response.statusCode ?? 0;
    const retryAfter = response.headers['retry-after'];
    return refusal({ method: wire.method, path, status, body, retryAfter, now: this.#options.clock.now() });
  }

  async #wire(request: KubeRequest): Promise<ExchangeRequest> {
    const { method, path, query = {}, body, contentType = 'application/json', accept = 'application/json' } = request;
    const search = new URLSearchParams(query).toString();
    return {
      server: this.server,
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: {
        Accept: accept,
        'User-Agent': this.#options.userAgent,
        ...(body === undefined ? {} : { 'Content-Type': contentType }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      identity: await this.#currentIdentity(),
      signal: request.signal,
      timeoutMs: request.timeoutMs ?? timeoutMs,
      timers: this.#options.timers,
      beforeSend: request.beforeSend,
    };
  }

  #currentIdentity(): Promise<Identity> {
    const known = this.#identity;
    if (known !== undefined && this.#options.clock.now() - known.at <= identityAgeMs) return known.of;
    return this.#newIdentity(false);
  }

  /** Requests that are refused together have it renewed once. */
  #renewIdentity(): void {
    const now = this.#options.clock.now();
    if (now - this.#renewedAt < 1_000) return;
    this.#renewedAt = now;
    void this.#newIdentity(true);
  }

  #newIdentity(renewed: boolean): Promise<Identity> {
    const of = this.#credentials.identity(renewed);
    const identity = { at: this.#options.clock.now(), of };
    this.#identity = identity;
    of.catch(() => {
      if (this.#identity === identity) this.#identity = undefined;
    });
    return of;
  }
}

function parseAnswer(text: string, { server, method, path }: ExchangeRequest): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KubeApiError({
      status: 0,
      reason: 'NoAnswer',
      message: `The API server ${server.origin} answered ${method} ${path.split('?')[0]} with something that is no JSON.`,
      unknownOutcome: method !== 'GET',
    });
  }
}
