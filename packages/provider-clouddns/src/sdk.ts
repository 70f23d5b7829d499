import type { DNS } from '@google-cloud/dns';
import {
  type CallContext,
  clockOffsetMs,
  createApiRequests,
  type HttpRequest,
  ProviderError,
  type ProviderHost,
  retryAfterMs,
} from '@zoneproof/core';
import { createAccessTokens } from './access-tokens.ts';
import { readAnswer } from './answers.ts';
import type { ClouddnsConfig } from './config.ts';
import { placeOf, readCredentials } from './credentials.ts';
import { type Asked, apiError, clockWords } from './errors.ts';
import { isGoogle } from './service-account.ts';

/**
 * `@google-cloud/dns` without its HTTP layer.
 *
 * The package builds the requests (zones, changes, record sets, URLs, the query of the next page) and reads their
 * answers. It does not send them: its own layer takes neither agent nor signal, repeats a 503 three times whatever its
 * options say, and reads HTTPS_PROXY. Where it hands over a finished request (`makeAuthenticatedRequest`), each becomes
 * one request through the egress.
 */
export interface Sdk {
  /** A client for one request, or for the pages of one list. Its methods throw ProviderError only. */
  open(asked: Pick<Asked, 'what' | 'permission' | 'answer'>, call: CallContext): Promise<DNS>;
  /** By how much this machine's clock is off; '' when it is right, or nothing was answered yet. */
  clock(): string;
}

type Sender = DNS['makeAuthenticatedRequest'];

/** What the package hands over. */
interface FinishedRequest {
  readonly method?: string;
  readonly uri: string;
  readonly qs?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const maxBytes = 16 * 1024 * 1024; // a page of full record sets
const timeoutMs = 30_000;

export function createSdk(config: ClouddnsConfig, host: ProviderHost): Sdk {
  const { providerName: at, clock } = host;
  const { project, endpoint = 'https://dns.googleapis.com', caBundle } = config;
  const plain = createApiRequests(host);
  const bundled = caBundle === undefined ? plain : createApiRequests(host, host.egress.withCaBundle(caBundle));
  // With an endpoint of its own, `caBundle` is of that world; Google's own hosts keep to the system's roots.
  const requestsFor = (url: string) =>
    config.endpoint !== undefined && isGoogle(new URL(url).hostname) ? plain : bundled;
  const tokens = createAccessTokens(at, () => clock.now(), readCredentials(config, host, requestsFor));
  const credentials = placeOf(config);
  let clockIs = '';

  async function send(request: HttpRequest, asked: Asked, call: CallContext): Promise<object> {
    const { token, isFresh } = await tokens.get(call);
    const headers = {
      ...request.headers,
      authorization: `Bearer ${token.value.text()}`,
      ...(token.quotaProject !== undefined && { 'x-goog-user-project': token.quotaProject }),
    };
    const answer = await bundled.send({ ...request, headers, timeoutMs, maxBytes }, asked.what, call);
    clockIs = clockWords(clockOffsetMs(answer.headers, clock.now()));
    const body = Buffer.from(answer.body).toString('utf8');
    if (answer.status >= 200 && answer.status <= 299) return readAnswer(body, asked);
    const pause = retryAfterMs(answer.headers['retry-after'], clock.now());
    const error = apiError(asked, { status: answer.status, body, retryAfterMs: pause });
    if (answer.status !== 401) throw error;
    tokens.drop(token);
    if (isFresh) throw error;
    // A token may end before its time; the next attempt gets another, so nobody has to act.
    const message = `${at}: Google does not take the access token any more (401) for ${asked.what}. The next attempt fetches another.`;
    throw new ProviderError({ ...error.details, kind: 'unavailable', message });
  }

  return {
    async open(asked, call) {
      const { DNS } = await import('@google-cloud/dns');
      const dns = new DNS({ projectId: project, apiEndpoint: endpoint.replace(/^https:\/\/|\/+$/g, '') });
      const sender = (finished: FinishedRequest, done: (error: Error | null, body?: object) => void): void => {
        const isWrite = finished.method === 'POST';
        send(toHttp(finished), { ...asked, at, project, credentials, isWrite }, call).then(
          (body) => done(null, body),
          done,
        );
      };
      dns.makeAuthenticatedRequest = sender as unknown as Sender;
      return dns;
    },
    clock: () => clockIs,
  };
}

function toHttp({ method = 'GET', uri, qs = {}, json, headers = {} }: FinishedRequest): HttpRequest {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(qs))
    if (name !== 'autoPaginate' && value !== undefined) url.searchParams.set(name, String(value));
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: method as HttpRequest['method'],
    url: url.href,
    headers: {
      ...lower,
      accept: 'application/json',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
}
