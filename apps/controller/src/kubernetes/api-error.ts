/** What a Status of the API server says, as far as it is read. */
interface StatusBody {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown };
}

export interface KubeApiFailure {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The word of the API: `NotFound`, `AlreadyExists`, `Conflict`, `Expired`; `NoAnswer` when none came. */
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The request may have been carried out all the same: no answer came, or one that leaves it open. */
  readonly unknownOutcome?: boolean;
}

/**
 * The API server refused a request or did not answer it. The message is one line and holds nothing that was sent.
 *
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
export class KubeApiError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly unknownOutcome: boolean;

  constructor({ status, reason, message, retryAfterMs, unknownOutcome = false }: KubeApiFailure) {
    super(message);
    this.name = 'KubeApiError';
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.unknownOutcome = unknownOutcome;
  }

  /** Trying again later may help: the server is away, busy or in trouble. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export function isKubeApiError(error: unknown, ...reasons: readonly string[]): error is KubeApiError {
  return error instanceof KubeApiError && (reasons.length === 0 || reasons.includes(error.reason));
}

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** Epoch milliseconds, for a Retry-After that is a date. */
  readonly now: number;
}

/** The error of an answer that is no success. */
export function refusal({ method, path, status, body, retryAfter, now }: RefusedRequest): KubeApiError {
  const { reason, message, details } = parseStatus(body);
  const word = typeof reason === 'string' && reason !== '' ? reason : (wordOf[status] ?? 'Refused');
  const said = typeof message === 'string' && !isAboutSecretContent(path, status) ? `: ${oneLine(message)}` : '';
  const retryAfterMs = retryAfterOf(retryAfter, details?.retryAfterSeconds, now);
  return new KubeApiError({
    status,
    reason: word,
    message: `The API server answered ${method} ${path} with ${status} ${word}${said}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    unknownOutcome: status >= 500 && method !== 'GET',
  });
}

/** The error of an ERROR event in a watch, which holds a Status. */
export function refusalOfWatch(path: string, object: unknown): KubeApiError {
  const { code } = object as { readonly code?: unknown };
  const status = typeof code === 'number' ? code : 500;
  const body = JSON.stringify(object);
  return refusal({ method: 'GET', path, status, body, retryAfter: undefined, now: 0 });
}

/** Errors of a validation may quote what they refuse. */
function isAboutSecretContent(path: string, status: number): boolean {
  return /\/secrets(\/|$)/.test(path) && (status === 400 || status === 422);
}

const wordOf: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  // Without a Status: it is not the object that is missing, but the whole resource.
  404: 'NoSuchResource',
  409: 'Conflict',
  410: 'Gone',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function parseStatus(body: string): StatusBody {
  try {
    const status: unknown = JSON.parse(body);
    if (typeof status === 'object' && status !== null) return status;
  } catch {}
  return {};
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 500)}...` : line;
}

/** RFC 9110 10.2.3: seconds or a date; the Status may repeat the seconds. */
function retryAfterOf(header: string | undefined, seconds: unknown, now: number): number | undefined {
  if (header !== undefined && /^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = header === undefined ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(at)) return Math.max(0, at - now);
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}
