import { type CallContext, isProviderError, ProviderError, type ProviderHost } from '../contract/index.ts';
import { type Egress, type EgressError, type HttpAnswer, type HttpRequest, isEgressError } from '../egress/index.ts';

/** How one request counts against the limits of the account. */
export interface RequestLimits {
  /** The declared bucket; the first when left out. */
  readonly bucket?: string;
  /** Default 1. */
  readonly cost?: number;
}

/** Requests of a provider to an API over HTTP, each made as the contract wants it (E1, E3, E4, E5, E6). */
export interface ApiRequests {
  /**
   * One permit, one request, its answer whatever the status. `what` completes "... did not answer to ...":
   * `the list of zones`.
   *
   * @throws ProviderError without an answer: `aborted`, `permission` (the egress denies the address) or `unavailable`;
   * `details.sent` tells whether the request may have been carried out, which is never so for one that only asks
   * (GET and HEAD, RFC 9110 9.2.1)
   */
  send(request: HttpRequest, what: string, call: CallContext, limits?: RequestLimits): Promise<HttpAnswer>;
  /** The same in the form of the egress and of fetch, for an SDK that sends within one call. */
  through(what: string, call: CallContext, limits?: RequestLimits): Egress['http'];
}

/**
 * `egress` is given where the block has a `caBundle`, and where requests are signed: its `http` is called when the
 * permit is there, so that a signature is not older than its request.
 */
export function createApiRequests(host: ProviderHost, egress: Pick<Egress, 'http'> = host.egress): ApiRequests {
  const at = host.providerName;

  async function send(
    request: HttpRequest,
    what: string,
    call: CallContext,
    limits: RequestLimits = {},
  ): Promise<HttpAnswer> {
    try {
      call.signal.throwIfAborted();
      await call.permit(limits.bucket, limits.cost);
    } catch (cause) {
      if (isProviderError(cause)) throw cause;
      throw new ProviderError({ kind: 'aborted', message: `${at}: stopped before ${what}`, sent: false, cause });
    }
    try {
      return await egress.http({ ...request, signal: call.signal });
    } catch (cause) {
      if (!isEgressError(cause)) throw cause;
      const sent = cause.sent && request.method !== 'GET' && request.method !== 'HEAD';
      throw unanswered(cause, sent, `${at}: ${new URL(request.url).host}`, what);
    }
  }

  return {
    send,
    through: (what, call, limits) => (request) => send(request, what, call, limits),
  };
}

function unanswered(cause: EgressError, sent: boolean, at: string, what: string): ProviderError {
  if (cause.kind === 'aborted')
    return new ProviderError({ kind: 'aborted', message: `${at}: stopped during ${what}`, sent, cause });
  if (cause.kind === 'denied')
    return new ProviderError({
      kind: 'permission',
      message: `${at} may not be asked for ${what}: ${cause.message}`,
      sent,
      cause,
    });
  return new ProviderError({
    kind: 'unavailable',
    message: `${at} did not answer to ${what}: ${cause.message}. It is asked again later.`,
    vendorCode: cause.kind,
    sent,
    cause,
  });
}
