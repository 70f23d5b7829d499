import type { AccountKey } from './account-key.ts';
import { type Directory, parseDirectory } from './directory.ts';
import { AcmeProtocolError, AcmeUnavailableError } from './errors.ts';
import { type HttpAnswer, type HttpClient, type HttpRequest, headerValue, mediaType } from './http.ts';
import { signRequest } from './jws.ts';
import { isUrl } from './link.ts';
import { NoncePool, nonceOf } from './nonce-pool.ts';
import { oneLine, problemOf } from './problem.ts';
import { parseRetryAfter } from './retry-after.ts';
import { SharedFetch } from './shared-fetch.ts';

export interface ConnectionOptions {
  readonly directoryUrl: string;
  readonly http: HttpClient;
  readonly key: AccountKey;
  readonly clock: { now(): number };
  readonly userAgent: string;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A 2xx answer. `body` is the parsed JSON, undefined where the answer is of another type or empty. */
export interface AcmeAnswer {
  readonly answer: HttpAnswer;
  readonly body: unknown;
}

export interface SignedRequest {
  readonly url: string;
  /** JSON text; `''` for POST-as-GET. */
  readonly payload: string;
  /** Account URL; absent: the request carries the public key instead (newAccount). */
  readonly kid?: string;
  readonly accept?: string;
}

const directoryMaxAgeMs = 24 * 3600_000;
const badNonceRetries = 10;
const badNonceBackoffMs = 1000;

/** Talks to one CA with one key: directory, nonces, signatures, and what makes an answer an error. */
export class Connection {
  readonly #o: ConnectionOptions;
  readonly #insecure: boolean;
  readonly #nonces = new NoncePool();
  readonly #fetchDirectory = new SharedFetch((signal) => this.#loadDirectory(signal));
  #directory: { readonly value: Directory; readonly at: number } | undefined;

  constructor(options: ConnectionOptions) {
    this.#o = options;
    this.#insecure = new URL(options.directoryUrl).protocol === 'http:';
  }

  /** Cached for 24 hours at most (RFC 8555 7.1.1 leaves the time open). */
  async directory(signal: AbortSignal): Promise<Directory> {
    const cached = this.#directory;
    if (cached && this.#o.clock.now() - cached.at < directoryMaxAgeMs) return cached.value;
    return this.#fetchDirectory.get(signal);
  }

  /**
   * A signed POST to a resource of the directory. When the resource is gone (404, 405), the directory is read again;
   * where it names another URL now, that one is asked.
   */
  async postTo(
    resource: 'newAccount' | 'newOrder',
    makeRequest: (url: string) => Promise<SignedRequest> | SignedRequest,
    signal: AbortSignal,
  ): Promise<AcmeAnswer> {
    const { [resource]: url } = await this.directory(signal);
    try {
      return await this.post(await makeRequest(url), signal);
    } catch (error) {
      if (!isGone(error)) throw error;
      const { [resource]: moved } = await this.directory(signal);
      if (moved === url) throw error;
      return this.post(await makeRequest(moved), signal);
    }
  }

  /**
   * A signed POST. A refused nonce is no error: the same payload is signed again at once with the nonce that came with
   * the refusal (RFC 8555 6.5), up to 10 times; then the pool is dropped and, after a second, it begins once more.
   * @throws AcmeProblem, AcmeProtocolError, AcmeUnavailableError, the signal's reason
   */
  async post(request: SignedRequest, signal: AbortSignal): Promise<AcmeAnswer> {
    this.#checkUrl(request.url);
    let nonce: string | undefined;
    for (let attempt = 0; ; attempt++) {
      nonce ??= this.#nonces.take() ?? (await this.#newNonce(signal));
      const answer = await this.#send(this.#signed(request, nonce, signal), request.payload === '');
      nonce = nonceOf(answer);
      const body = this.#json(answer);
      const failure = isSuccess(answer) ? undefined : this.#failure(answer, body, request.url, 'POST');
      if (failure && isBadNonce(failure) && attempt < 2 * badNonceRetries + 1) {
        if (attempt !== badNonceRetries) continue;
        nonce = undefined;
        this.#nonces.clear();
        await this.#o.wait(badNonceBackoffMs, signal);
        continue;
      }
      this.#nonces.add(nonce);
      if (failure) throw failure;
      return { answer, body };
    }
  }

  #signed({ url, payload, kid, accept }: SignedRequest, nonce: string, signal: AbortSignal): HttpRequest {
    return {
      method: 'POST',
      url,
      headers: { ...this.#headers(accept), 'content-type': 'application/jose+json' },
      body: signRequest(this.#o.key, { url, nonce, ...(kid !== undefined && { kid }) }, payload),
      signal,
    };
  }

  async #newNonce(signal: AbortSignal): Promise<string> {
    for (let again = true; ; again = false) {
      const { newNonce: url } = await this.directory(signal);
      const pooled = this.#nonces.take(); // some CAs send one with the directory
      if (pooled !== undefined) return pooled;
      // GET rather than HEAD, which RFC 8555 7.2 allows as well: undici gives up a connection after each HEAD, and a
      // handshake costs both sides more than all else of the request.
      const answer = await this.#send({ method: 'GET', url, headers: this.#headers(), signal }, true);
      const nonce = nonceOf(answer); // not through the pool: another request could take it from there meanwhile
      if (isSuccess(answer) && nonce !== undefined) return nonce;
      const error = this.#failure(answer, undefined, url, 'GET');
      if (!again || !isGone(error)) throw error;
    }
  }

  async #loadDirectory(signal: AbortSignal): Promise<Directory> {
    const url = this.#o.directoryUrl;
    const answer = await this.#send({ method: 'GET', url, headers: this.#headers(), signal }, true);
    this.#nonces.add(nonceOf(answer));
    const body = this.#json(answer);
    if (answer.status !== 200) throw this.#failure(answer, body, url, 'GET');
    const value = parseDirectory(body, url);
    this.#directory = { value, at: this.#o.clock.now() };
    return value;
  }

  #headers(accept = 'application/json'): Record<string, string> {
    return { 'user-agent': this.#o.userAgent, 'accept-language': 'en', accept };
  }

  /** @param repeatable without effect at the server, so that a connection closed under our feet is tried once more */
  async #send(request: HttpRequest, repeatable: boolean): Promise<HttpAnswer> {
    this.#checkUrl(request.url);
    for (let again = repeatable; ; again = false) {
      request.signal?.throwIfAborted();
      try {
        return await this.#o.http(request);
      } catch (cause) {
        request.signal?.throwIfAborted();
        if (again && isReset(cause)) continue;
        throw new AcmeUnavailableError(request.url, `No answer from the CA at ${request.url}: ${reasonOf(cause)}`, {
          cause,
        });
      }
    }
  }

  /** A CA's answers may not lead us to plain text, nor to anything that is no web address. */
  #checkUrl(url: string): void {
    const protocol = isUrl(url) ? new URL(url).protocol : undefined;
    if (protocol === 'https:' || (protocol === 'http:' && this.#insecure)) return;
    throw new AcmeProtocolError(
      url,
      `The CA at ${this.#o.directoryUrl} names the URL "${oneLine(url)}", which is not https. It is not followed.`,
    );
  }

  #json(answer: HttpAnswer): unknown {
    const type = mediaType(answer);
    if (type !== 'application/json' && type !== 'application/problem+json') return undefined;
    try {
      return JSON.parse(Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString('utf8'));
    } catch {
      return undefined;
    }
  }

  /** The error that a refusal is. Bodies other than problem documents are never shown: they may be anybody's. */
  #failure(answer: HttpAnswer, body: unknown, url: string, method: string): Error {
    const { status } = answer;
    const now = this.#o.clock.now();
    if (status === 404 || status === 405) this.#directory = undefined;
    const problem = mediaType(answer) === 'application/problem+json' ? problemOf(answer, body, url, now) : undefined;
    if (problem) return problem;
    if (status === 429 || status >= 500) {
      const retryAfterMs = parseRetryAfter(headerValue(answer, 'retry-after'), now);
      const when = retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
      return new AcmeUnavailableError(
        url,
        `${url} answered ${method} with HTTP ${status} and no ACME problem.${when}`,
        {
          httpStatus: status,
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        },
      );
    }
    return new AcmeProtocolError(url, notAcme(answer, url, method), { httpStatus: status });
  }
}

function notAcme(answer: HttpAnswer, url: string, method: string): string {
  const { status } = answer;
  const location = headerValue(answer, 'location');
  if (status >= 300 && status < 400 && location !== undefined) {
    return `${url} redirects (HTTP ${status}) to ${oneLine(location)}; redirects are not followed. Use that URL itself.`;
  }
  if (status < 300) return `${url} answered ${method} with HTTP ${status} but without a usable Replay-Nonce.`;
  return `${url} answered ${method} with HTTP ${status}, not as an ACME server does. Check the server URL of the Issuer.`;
}

/** The text of a transport's error; one that collects several (one for each address) has a code only. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: unknown; code?: unknown };
  return oneLine(String(message || code || 'the connection failed'));
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

function isBadNonce(error: Error): boolean {
  return 'type' in error && error.type === 'badNonce';
}

function isGone(error: unknown): boolean {
  const status = (error as { httpStatus?: unknown }).httpStatus;
  return status === 404 || status === 405;
}

const resetCodes: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Idle connections are closed by servers at any time; a request that meets this is lost. */
function isReset(error: unknown): boolean {
  const { code, kind } = error as { code?: unknown; kind?: unknown };
  return kind === 'reset' || resetCodes.includes(code);
}
