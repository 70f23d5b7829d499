import type { Egress, HttpAnswer, HttpRequest } from '@zoneproof/core';
import { nodeError } from './sdk-errors.ts';

type Dispatcher = Egress['dispatcher'];
type Dispatch = Dispatcher['dispatch'];
type Options = Parameters<Dispatch>[0];
type Handler = Parameters<Dispatch>[1];
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];

const maxSdkBytes = 32 * 1024 * 1024;

/** An undici dispatcher over an `http` of the egress, so that what SDKs send through it is counted and disturbed too. */
export function createDispatcher(http: Egress['http']): Dispatcher {
  const dispatch = (options: Options, handler: Handler): boolean => {
    void run(http, options, handler);
    return true;
  };
  const ended = () => Promise.resolve();
  return { dispatch, close: ended, destroy: ended } as unknown as Dispatcher;
}

async function run(http: Egress['http'], options: Options, handler: Handler): Promise<void> {
  const stop = new AbortController();
  const controller = start(handler, stop);
  try {
    const answer = await send(http, options, stop.signal);
    if (!stop.signal.aborted) deliver(answer, handler, controller);
  } catch (error) {
    if (!stop.signal.aborted) fail(nodeError(error), handler, controller);
  }
}

async function send(http: Egress['http'], options: Options, signal: AbortSignal): Promise<HttpAnswer> {
  const url = new URL(options.path, String(options.origin));
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.append(name, String(value));
  const body = await bodyOf(options.body);
  return http({
    method: options.method as HttpRequest['method'],
    url: url.href,
    headers: headersOf(options.headers),
    ...(body !== undefined && { body }),
    signal,
    maxBytes: maxSdkBytes,
  });
}

function start(handler: Handler, stop: AbortController): Controller {
  const abort = (reason?: unknown): void => {
    stop.abort(reason);
    fail(reason instanceof Error ? reason : new Error('aborted'), handler, controller);
  };
  const controller: Controller = {
    get aborted() {
      return stop.signal.aborted;
    },
    get reason() {
      return (stop.signal.reason as Error | undefined) ?? null;
    },
    paused: false,
    abort,
    pause: () => undefined,
    resume: () => undefined,
  };
  if (handler.onRequestStart) handler.onRequestStart(controller, {});
  else handler.onConnect?.(abort);
  return controller;
}

/** In the form of undici 7, or in that of undici 6, which Node's own fetch has. */
function deliver({ status, headers, body }: HttpAnswer, handler: Handler, controller: Controller): void {
  if (handler.onResponseStart) {
    handler.onResponseStart(controller, status, headers as never, '');
    handler.onResponseData?.(controller, Buffer.from(body));
    handler.onResponseEnd?.(controller, {});
    return;
  }
  const raw = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [Buffer.from(name), Buffer.from(one as string)]),
  );
  handler.onHeaders?.(status, raw, () => undefined, '');
  handler.onData?.(Buffer.from(body));
  handler.onComplete?.([]);
}

function fail(error: Error, handler: Handler, controller: Controller): void {
  if (handler.onResponseError) handler.onResponseError(controller, error);
  else handler.onError?.(error);
}

async function bodyOf(body: Options['body']): Promise<Uint8Array | string | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array | string>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function headersOf(headers: Options['headers']): Readonly<Record<string, string>> {
  if (Array.isArray(headers) && typeof headers[0] !== 'object')
    return Object.fromEntries(
      headers.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(headers[at + 1])]] : [])),
    );
  const entries =
    headers && Symbol.iterator in headers
      ? [...(headers as Iterable<[string, string]>)]
      : Object.entries(headers ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(', ')]])),
  );
}
