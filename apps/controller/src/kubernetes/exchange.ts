import http from 'node:http';
import https from 'node:https';
import type { Timers } from '@zoneproof/core';
import { onAbort } from '@zoneproof/core';
import { KubeApiError } from './api-error.ts';
import type { Identity } from './kube-config.ts';

export interface ExchangeRequest {
  readonly server: URL;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly identity: Identity;
  readonly signal: AbortSignal | undefined;
  /** Until the head of the answer is there. */
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** Called when the connection stands, at the last moment before the first byte; what it throws stops the request. */
  readonly beforeSend: (() => void) | undefined;
}

/**
 * Sends one request and resolves with the head of its answer.
 *
 * @throws KubeApiError with status 0 when none came; what `beforeSend` throws; the reason of `signal`
 */
export function exchange(request: ExchangeRequest): Promise<http.IncomingMessage> {
  const { server, method, identity, body, signal, timers, timeoutMs, beforeSend } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let sent = false;
    let refused: unknown;
    const outgoing = (server.protocol === 'http:' ? http : https).request({
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || (server.protocol === 'http:' ? 80 : 443),
      method,
      path: `${server.pathname.replace(/\/$/, '')}${request.path}`,
      agent: identity.agent,
      headers: {
        ...request.headers,
        ...identity.headers,
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
      },
    });
    const timer = timers.setTimeout(() => outgoing.destroy(new Error(`no answer for ${timeoutMs} ms`)), timeoutMs);
    const forget = signal === undefined ? undefined : onAbort(signal, () => outgoing.destroy());
    const settle = (): void => {
      timers.clearTimeout(timer);
      forget?.();
    };
    outgoing.once('socket', (socket) => {
      const send = (): void => {
        try {
          beforeSend?.();
        } catch (error) {
          refused = error;
          outgoing.destroy(error as Error);
          return;
        }
        sent = true;
        outgoing.end(body);
      };
      if (socket.connecting) socket.once(server.protocol === 'http:' ? 'connect' : 'secureConnect', send);
      else send();
    });
    outgoing.once('response', (response) => {
      settle();
      resolve(response);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      settle();
      if (refused !== undefined) reject(refused);
      else reject(signal?.aborted ? signal.reason : noAnswer(request, error, sent));
    });
  });
}

/**
 * The whole body as text.
 *
 * @throws KubeApiError when it breaks off, takes longer than `timeoutMs` or is longer than `maxBytes`
 */
export async function readBody(
  response: http.IncomingMessage,
  request: ExchangeRequest,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { timers, timeoutMs, signal } = request;
  const timer = timers.setTimeout(
    () => response.destroy(new Error(`the answer took longer than ${timeoutMs} ms`)),
    timeoutMs,
  );
  const forget = signal === undefined ? undefined : onAbort(signal, () => response.destroy());
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : noAnswer(request, error as NodeJS.ErrnoException, true);
  } finally {
    timers.clearTimeout(timer);
    forget?.();
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Errors of sockets and TLS carry certificates and addresses: their code or sentence is all that is kept. */
export function noAnswer(
  { server, method, path }: Pick<ExchangeRequest, 'server' | 'method' | 'path'>,
  error: NodeJS.ErrnoException,
  sent: boolean,
): KubeApiError {
  const what = error.code ?? error.message;
  return new KubeApiError({
    status: 0,
    reason: 'NoAnswer',
    message: `The API server ${server.origin} gave no answer to ${method} ${path.split('?')[0]} (${what}).`,
    unknownOutcome: sent && method !== 'GET',
  });
}
