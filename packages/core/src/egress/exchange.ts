import type { Dispatcher } from 'undici';
import { onAbort } from '../time/index.ts';
import { EgressError, type HttpAnswer, type HttpRequest } from './egress.ts';
import { proxyRefusal, type RequestLabel, toEgressError } from './egress-errors.ts';

export interface ExchangeDefaults {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
  /** For messages, where it is not `caBundle`. */
  readonly unknownCaRemedy?: string;
  proxyFor(target: URL): string | undefined;
  /** See EgressOptions. */
  readonly beforeSend?: (() => void) | undefined;
}

/**
 * One request and its whole answer. Works below `undici.request`, whose streams cost more than the exchange itself,
 * and since only here can be told whether a request was sent: undici says when it begins to write.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  defaults: ExchangeDefaults,
): Promise<HttpAnswer> {
  const { method, signal, timeoutMs = defaults.timeoutMs, maxBytes = defaults.maxBytes } = request;
  const target = parseTarget(request);
  const label: RequestLabel = {
    what: `${method} ${target.origin}${target.pathname}`,
    host: target.host,
    proxy: defaults.proxyFor(target),
    unknownCaRemedy: defaults.unknownCaRemedy,
  };
  if (signal?.aborted) return Promise.reject(aborted(label, false));
  const refused = refusalToSend(defaults, label);
  if (refused !== undefined) return Promise.reject(refused);

  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    let status = 0;
    let headers: HttpAnswer['headers'] = {};
    let size = 0;
    const chunks: Uint8Array[] = [];

    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      forget();
      return true;
    };
    const fail = (error: EgressError) => {
      if (!settle()) return;
      controller?.abort(error);
      reject(error);
    };
    const sent = () => controller !== undefined;
    const timer = setTimeout(() => {
      fail(new EgressError('timeout', `${label.what}: no whole answer within ${timeoutMs / 1000} s`, sent()));
    }, timeoutMs);
    const forget = signal === undefined ? () => undefined : onAbort(signal, () => fail(aborted(label, sent())));
    const tooLarge = () =>
      new EgressError(
        'too-large',
        `${label.what}: the answer is larger than the ${maxBytes} octets that are read`,
        true,
      );

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Whoever waited has gone while the connection was made: nothing is written.
        if (settled) return started.abort(aborted(label, false));
        const tooLate = refusalToSend(defaults, label);
        if (tooLate !== undefined) {
          fail(tooLate);
          return started.abort(tooLate);
        }
        controller = started;
      },
      onResponseStart(_controller, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = received as HttpAnswer['headers'];
        if (method !== 'HEAD' && Number(received['content-length']) > maxBytes) fail(tooLarge());
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > maxBytes) fail(tooLarge());
        else chunks.push(chunk);
      },
      onResponseEnd() {
        if (!settle()) return;
        const answer = { status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
        // undici frees the connection one setImmediate from now; a request sent before that would open another.
        setImmediate(() => setImmediate(() => resolve(answer)));
      },
      onResponseError(_controller, error) {
        fail(tunnelRefusal(error, label) ?? toEgressError(error, label, sent()));
      },
    };

    try {
      dispatcher.dispatch(
        {
          origin: target.origin,
          path: `${target.pathname}${target.search}`,
          method,
          headers: { 'user-agent': defaults.userAgent, ...request.headers },
          body: request.body ?? null,
          // The whole exchange has its timer above.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      );
    } catch (error) {
      fail(toEgressError(error, label, false));
    }
  });
}

function parseTarget({ method, url }: HttpRequest): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol === 'https:' || target?.protocol === 'http:') return target;
  throw new EgressError('denied', `${method}: "${url.slice(0, 80)}" is no http or https URL`, false);
}

function aborted({ what }: RequestLabel, sent: boolean): EgressError {
  return new EgressError('aborted', `${what}: stopped by the caller`, sent);
}

function refusalToSend({ beforeSend }: ExchangeDefaults, { what }: RequestLabel): EgressError | undefined {
  try {
    beforeSend?.();
    return undefined;
  } catch (error) {
    return new EgressError('denied', `${what}: ${error instanceof Error ? error.message : error}`, false, error);
  }
}

/** undici tells a proxy's refusal in the message only. */
function tunnelRefusal(error: Error, label: RequestLabel): EgressError | undefined {
  const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  return status === undefined ? undefined : proxyRefusal(Number(status), label, error);
}
