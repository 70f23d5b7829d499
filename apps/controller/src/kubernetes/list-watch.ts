import { type Clock, pause, type RandomBytes, randomShare, type Timers } from '@zoneproof/core';
import type { KubeApi } from './api.ts';
import { isKubeApiError, type KubeApiError, refusalOfWatch } from './api-error.ts';

/** Takes what is told of one collection. Objects are JSON as the API server sent it. */
export interface CollectionSink {
  listBegins(): void;
  listed(object: unknown): void;
  /** What was not listed is gone, unless it is known in a later state than `version`. */
  listEnds(version: string): void;
  changed(object: unknown): void;
  deleted(object: unknown): void;
}

export interface ListWatchOptions {
  readonly api: KubeApi;
  readonly path: string;
  /** Of single objects and of the list; default `application/json`. */
  readonly accept?: { readonly object: string; readonly list: string };
  readonly sink: CollectionSink;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomBytes;
  readonly signal: AbortSignal;
  /** Told once when the collection cannot be followed any more, and once when it can again. */
  readonly tell: (message: string) => void;
}

const pageSize = 500;
/** The server ends a watch after about this time, so that connections spread over its replicas. */
const watchSeconds = 300;
/** Bookmarks come about once a minute. */
const idleMs = 90_000;
const longestPauseMs = 30_000;
/** Failing for so long is told. */
const toldAfterMs = 10_000;

/**
 * Keeps a sink in step with one collection: a list in pages, then a watch that goes on where the last one ended, and
 * a new list when the server has forgotten where that was (410).
 *
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export class ListWatch {
  readonly #options: ListWatchOptions;
  /** Where the next watch begins; undefined: a list is needed. */
  #version: string | undefined;
  #synced = false;
  #failures = 0;
  #failingSince: number | undefined;
  #told = false;

  constructor(options: ListWatchOptions) {
    this.#options = options;
  }

  /** The first list is complete. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /**
   * Reads the whole collection for the first time. What may pass is waited for.
   *
   * @throws KubeApiError when the server refuses it; the reason of the signal
   */
  async start(): Promise<void> {
    const { signal } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      try {
        this.#version = await this.#list();
        this.#recovered();
        this.#synced = true;
        return;
      } catch (error) {
        if (!isKubeApiError(error) || !(error.isTransient || isTooOld(error))) throw error;
        await this.#failed(error);
      }
    }
  }

  /** Follows the collection until the signal ends it. */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list();
        await this.#watch();
      } catch (error) {
        if (signal.aborted) return;
        if (isKubeApiError(error) && isTooOld(error)) this.#version = undefined;
        await this.#failed(error as Error);
      }
    }
  }

  /** @returns the version of the list, from which a watch can go on */
  async #list(): Promise<string> {
    try {
      return await this.#listPages(String(pageSize));
    } catch (error) {
      // The state of the first page was forgotten before the last one was read.
      if (isKubeApiError(error) && isTooOld(error)) return this.#listPages(undefined);
      throw error;
    }
  }

  async #listPages(limit: string | undefined): Promise<string> {
    const { api, path, sink, signal, accept } = this.#options;
    sink.listBegins();
    let next = '';
    for (;;) {
      const query = { ...(limit === undefined ? {} : { limit }), ...(next === '' ? {} : { continue: next }) };
      const page = (await api.request({
        method: 'GET',
        path,
        query,
        signal,
        ...(accept === undefined ? {} : { accept: accept.list }),
      })) as ListPage;
      for (const item of page.items ?? []) sink.listed(item);
      next = page.metadata?.continue ?? '';
      if (next !== '') continue;
      const version = page.metadata?.resourceVersion ?? '';
      sink.listEnds(version);
      return version;
    }
  }

  async #watch(): Promise<void> {
    const { api, path, sink, signal, accept, clock, random } = this.#options;
    const timeoutSeconds = String(Math.round(watchSeconds * (1 + randomShare(random) / 4)));
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#version ?? '',
      timeoutSeconds,
    };
    const beganAt = clock.now();
    const events = api.watch({
      path,
      query,
      signal,
      idleMs,
      ...(accept === undefined ? {} : { accept: accept.object }),
    });
    for await (const event of events as AsyncIterable<WatchEvent>) {
      const { type, object } = event;
      if (type === 'ERROR') throw refusalOfWatch(path, object);
      if (type === 'ADDED' || type === 'MODIFIED') sink.changed(object);
      else if (type === 'DELETED') sink.deleted(object);
      this.#version = (object as WatchedObject).metadata?.resourceVersion ?? this.#version;
      this.#recovered();
    }
    // One that ends as soon as it began would be asked for again without end.
    if (clock.now() - beganAt < 1_000) await this.#pause(1_000);
    else this.#recovered();
  }

  #recovered(): void {
    this.#failures = 0;
    this.#failingSince = undefined;
    if (!this.#told) return;
    this.#told = false;
    this.#options.tell(`${this.#options.path} is followed again.`);
  }

  async #failed(error: Error): Promise<void> {
    const now = this.#options.clock.now();
    this.#failingSince ??= now;
    this.#failures++;
    if (!this.#told && now - this.#failingSince >= toldAfterMs) {
      this.#told = true;
      this.#options.tell(`${this.#options.path} cannot be followed; what is known may be old. ${error.message}`);
    }
    const retryAfterMs = isKubeApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    // The first time at once: a connection ends for many reasons, and the next one mostly stands.
    const backOffMs = this.#failures === 1 ? 0 : Math.min(longestPauseMs, 100 * 2 ** this.#failures);
    await this.#pause(Math.max(backOffMs, retryAfterMs));
  }

  #pause(ms: number): Promise<void> {
    const { timers, random, signal } = this.#options;
    return pause(timers, ms * (1 + randomShare(random) / 4), signal);
  }
}

interface ListPage {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly unknown[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

interface WatchedObject {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** The state that was asked for is not kept any more. */
function isTooOld({ status, reason }: KubeApiError): boolean {
  return status === 410 || reason === 'Expired' || reason === 'Gone';
}
