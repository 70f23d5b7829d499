/** One request of the ACME client. Structurally what the controller's egress takes. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The answer, read to the end. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/**
 * The client's way out. Bounds time and size, follows no redirect, rejects only when there is no answer.
 * Reuse of connections and proxies are its business.
 */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;

export const maxBodyBytes = 1024 * 1024;
const timeoutMs = 30_000;

/**
 * An {@link HttpClient} on undici for programs that bring none: keep-alive, 30 s for an exchange, 1 MiB of body, no
 * redirects. `close()` ends its idle connections. undici is loaded at the first request.
 */
export function defaultHttp(): HttpClient & { close(): Promise<void> } {
  const open = async () => {
    const { Agent } = await import('undici');
    return new Agent({ connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  };
  let agent: ReturnType<typeof open> | undefined;

  const request: HttpClient = async ({ method, url, headers, body, signal }) => {
    agent ??= open();
    const deadline = AbortSignal.timeout(timeoutMs);
    const answer = await (await agent).request({
      origin: new URL(url).origin,
      path: pathOf(url),
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      // Leaving the loop destroys the stream, so the rest is never read.
      if (size > maxBodyBytes) throw new Error(`${url} answered with more than ${maxBodyBytes} octets`);
      chunks.push(chunk);
    }
    return { status: answer.statusCode, headers: onlyPresent(answer.headers), body: Buffer.concat(chunks) };
  };
  return Object.assign(request, {
    close: async () => {
      const opened = agent;
      agent = undefined;
      await (await opened)?.destroy();
    },
  });
}

/** All values of a header, in the order they came. */
export function headerValues(answer: HttpAnswer, name: string): readonly string[] {
  const value = answer.headers[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The first value of a header. */
export function headerValue(answer: HttpAnswer, name: string): string | undefined {
  return headerValues(answer, name)[0];
}

/** Media type in lower case without parameters, `''` when there is none. */
export function mediaType(answer: HttpAnswer): string {
  return (headerValue(answer, 'content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function onlyPresent(headers: Record<string, string | string[] | undefined>): HttpAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
}
