import {
  type ApiRequests,
  type CallContext,
  clockOffsetMs,
  type HttpRequest,
  isProviderError,
  jsonObject,
  ProviderError,
  type ProviderHost,
  retryAfterMs,
  SecretValue,
} from '@zoneproof/core';
import { type CredentialsPlace, tokenError } from './errors.ts';

/** An access token as an endpoint gave it out. */
export interface IssuedToken {
  readonly value: SecretValue;
  readonly lifetimeMs: number;
}

const timeoutMs = 20_000;
const maxBytes = 65_536;
const unsaidLifetimeMs = 600_000;

/**
 * Requests for tokens. google-auth-library would make them by itself, past the egress, and repeat them.
 *
 * What is thrown never says `sent`: as long as there is no token, nothing was asked of Cloud DNS.
 */
export class TokenRequests {
  readonly #host: ProviderHost;
  readonly #requestsFor: (url: string) => ApiRequests;
  readonly #credentials: CredentialsPlace;

  /** `requestsFor`: the way out to a URL, by which certificates are trusted there. */
  constructor(host: ProviderHost, requestsFor: (url: string) => ApiRequests, credentials: CredentialsPlace) {
    this.#host = host;
    this.#requestsFor = requestsFor;
    this.#credentials = credentials;
  }

  /** An OAuth 2.0 endpoint: form in, `access_token` and `expires_in` out (RFC 6749 5.1). */
  async oauth(
    url: string,
    form: Readonly<Record<string, string>>,
    what: string,
    call: CallContext,
  ): Promise<IssuedToken> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    const answer = await this.json({ method: 'POST', url, headers, body }, what, call);
    const seconds = Number(answer.expires_in);
    return {
      value: this.#text(answer.access_token, what),
      lifetimeMs: seconds > 0 ? seconds * 1000 : unsaidLifetimeMs,
    };
  }

  /** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken */
  async impersonate(url: string, token: SecretValue, scope: string, call: CallContext): Promise<IssuedToken> {
    const what = 'the request for a token of the service account';
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token.text()}` };
    const body = JSON.stringify({ scope: [scope], lifetime: '3600s' });
    const answer = await this.json({ method: 'POST', url, headers, body }, what, call);
    const lifetimeMs = Date.parse(String(answer.expireTime)) - this.#host.clock.now();
    return { value: this.#text(answer.accessToken, what), lifetimeMs: lifetimeMs > 0 ? lifetimeMs : unsaidLifetimeMs };
  }

  /** The object that an endpoint answers. */
  async json(request: HttpRequest, what: string, call: CallContext): Promise<Readonly<Record<string, unknown>>> {
    const body = await this.text(request, what, call);
    const answer = jsonObject(body);
    if (answer !== undefined) return answer;
    throw this.#useless(what, 'something that is no JSON object; check the proxies on the way');
  }

  /** The text that an endpoint answers. */
  async text(request: HttpRequest, what: string, call: CallContext): Promise<string> {
    const { providerName, clock } = this.#host;
    try {
      const bounded = { ...request, timeoutMs: request.timeoutMs ?? timeoutMs, maxBytes };
      const answer = await this.#requestsFor(request.url).send(bounded, what, call, { bucket: 'token' });
      const { status, headers } = answer;
      const body = Buffer.from(answer.body).toString('utf8');
      if (status >= 200 && status <= 299) return body;
      const pause = retryAfterMs(headers['retry-after'], clock.now());
      const clockOffset = clockOffsetMs(headers, clock.now());
      throw tokenError(providerName, what, this.#credentials, { status, body, retryAfterMs: pause, clockOffset });
    } catch (error) {
      if (!isProviderError(error) || error.details.sent !== true) throw error;
      throw new ProviderError({ ...error.details, sent: false });
    }
  }

  #text(value: unknown, what: string): SecretValue {
    if (typeof value === 'string' && value !== '') return new SecretValue(Buffer.from(value));
    throw this.#useless(what, 'no access token');
  }

  #useless(what: string, got: string): ProviderError {
    const message = `${this.#host.providerName}: the answer to ${what} holds ${got}. It is asked again later.`;
    return new ProviderError({ kind: 'unavailable', message, sent: false });
  }
}
