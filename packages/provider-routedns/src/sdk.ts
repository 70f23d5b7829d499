import type { Route53ClientConfig } from '@aws-sdk/client-route-53';
import type { Clock, Egress, HttpAnswer } from '@zoneproof/core';

/** What came back last, for errors: the SDK's own errors carry whole requests. */
export interface Exchange {
  readonly answer: HttpAnswer | undefined;
  /** What the way out threw. */
  readonly failure: unknown;
  readonly requestHandler: NonNullable<Route53ClientConfig['requestHandler']>;
}

/**
 * Options for a client of the AWS SDK that sends through `http` and takes nothing from environment variables or the
 * shared configuration files: each of these options would be looked up there if it were left out.
 */
export function sdkOptions(exchange: Exchange, clock: Clock) {
  return {
    requestHandler: exchange.requestHandler,
    // Repeating is the record writer's job.
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: '',
    authSchemePreference: ['aws.auth#sigv4'],
    // The offset counts only where this is off; a client lives for one request, so there is nothing to correct.
    disableClockSkewCorrection: async () => false,
    systemClockOffset: clock.now() - Date.now(),
    defaultUserAgentProvider: async (): Promise<[string][]> => [['zoneproof']],
  };
}

/** Adds what the SDK takes from AWS Lambda's environment whatever the options say. */
interface WithMiddleware {
  readonly middlewareStack: { remove(name: string): boolean };
}

/** A request header would tell the trace id of the function that zoneproof runs in. */
export function withoutTrace<Client extends WithMiddleware>(client: Client): Client {
  client.middlewareStack.remove('recursionDetectionMiddleware');
  return client;
}

/**
 * The SDK prints once that it will need a newer Node some day: a notice for who builds zoneproof, not for who runs it.
 * Its switch is a variable of the whole process; this is the mark that the notice was given.
 */
export async function silenceVersionNotice(): Promise<void> {
  const { state }: { readonly state?: { warningEmitted: boolean } } = await import('@aws-sdk/core/client');
  if (state !== undefined) state.warningEmitted = true;
}

export function createExchange(http: Egress['http']): Exchange {
  const exchange = {
    answer: undefined as HttpAnswer | undefined,
    failure: undefined as unknown,
    requestHandler: {
      async handle(request: SdkRequest) {
        try {
          exchange.answer = await http({
            method: request.method as 'GET' | 'POST',
            url: urlOf(request),
            headers: request.headers,
            ...(request.body !== undefined && { body: request.body as string | Uint8Array }),
            maxBytes: maxAnswerBytes,
          });
        } catch (error) {
          exchange.failure = error;
          throw error;
        }
        const { status, headers, body } = exchange.answer;
        const flat = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
        return { response: { statusCode: status, headers: Object.fromEntries(flat), body } };
      },
      updateHttpClientConfig() {},
      httpHandlerConfigs: () => ({}),
    },
  };
  return exchange as unknown as Exchange;
}

const maxAnswerBytes = 8 * 1024 * 1024;

interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encoded(name)}=${encoded(one ?? '')}`),
  );
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`;
}

/** As it was signed: RFC 3986, so that nothing on the way writes it differently. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
