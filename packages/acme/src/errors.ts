/**
 * The server answered, but not as an ACME server does: wrong URL, a page instead of JSON, a missing member, an http
 * URL inside an https answer. Trying again does not help before somebody has looked.
 */
export class AcmeProtocolError extends Error {
  readonly url: string;
  declare readonly httpStatus?: number;

  constructor(url: string, message: string, options: { httpStatus?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AcmeProtocolError';
    this.url = url;
    if (options.httpStatus !== undefined) this.httpStatus = options.httpStatus;
  }
}

/**
 * No answer (connection refused, time-out, TLS, ...: the transport's error is the `cause`), or a 429 or 5xx of
 * something in front of the CA that speaks no ACME. Try again, not before `retryAfterMs` where it is given.
 */
export class AcmeUnavailableError extends Error {
  readonly url: string;
  declare readonly httpStatus?: number;
  declare readonly retryAfterMs?: number;

  constructor(url: string, message: string, options: { httpStatus?: number; retryAfterMs?: number; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AcmeUnavailableError';
    this.url = url;
    if (options.httpStatus !== undefined) this.httpStatus = options.httpStatus;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}
