import type { Agent as HttpsAgent } from 'node:https';
import type { DnsTransport } from '@zoneproof/dns';
import type { Dispatcher } from 'undici';

/** One HTTP request through the egress. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Whole exchange, headers and body; default 30 000. */
  readonly timeoutMs?: number;
  /** Most octets of a body that are read; default 1 MiB. */
  readonly maxBytes?: number;
}

/** Its answer, read to the end. Header names are in lower case. Redirects are answers, never followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
}

/**
 * The one way out of the process: HTTP and DNS of the ACME client, every provider and the self check.
 * It bounds time and size, trusts `caBundle` alone where there is one and else the system's roots, follows HTTPS_PROXY and NO_PROXY, and asks
 * the address rule about the address that is really connected to.
 */
export interface Egress {
  /** @throws EgressError */
  http(request: HttpRequest): Promise<HttpAnswer>;
  /** For SDKs that take an undici dispatcher or a fetch. */
  readonly dispatcher: Dispatcher;
  /** Throws EgressError, and follows no redirect. */
  readonly fetch: typeof globalThis.fetch;
  /** For SDKs built on node:https. */
  readonly httpsAgent: HttpsAgent;
  readonly dns: DnsTransport;
  /** The same way out that trusts these PEM certificates, and no others but those of its own `caBundle`. */
  withCaBundle(pem: string): Egress;
  close(): Promise<void>;
}

export type EgressErrorKind =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'name-not-found'
  | 'tls'
  | 'reset'
  | 'too-large'
  | 'denied'
  | 'aborted';

/**
 * Why a request got no answer. `sent` tells whether the request may have reached the server: when it is false the
 * request certainly had no effect.
 */
export class EgressError extends Error {
  readonly kind: EgressErrorKind;
  readonly sent: boolean;

  constructor(kind: EgressErrorKind, message: string, sent: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EgressError';
    this.kind = kind;
    this.sent = sent;
  }
}

/** True for an EgressError of any copy of this package. */
export function isEgressError(error: unknown): error is EgressError {
  return error instanceof Error && error.name === 'EgressError' && 'sent' in error;
}
