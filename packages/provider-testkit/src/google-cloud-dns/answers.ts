import type { ApiAnswer } from '../emulator/index.ts';

/** One entry of `error.errors`. */
export interface ErrorItem {
  readonly domain?: string;
  readonly reason: string;
  readonly message: string;
  readonly location?: string;
  readonly locationType?: string;
}

/**
 * The error form of Google's JSON APIs: `error.errors` lists every objection, the first one is repeated above.
 * https://cloud.google.com/apis/design/errors and, for several objections at once,
 * https://github.com/kubernetes-sigs/external-dns/issues/2817
 */
export function googleError(
  code: number,
  status: string,
  items: readonly ErrorItem[],
  extra: { readonly headers?: Readonly<Record<string, string>>; readonly message?: string } = {},
): ApiAnswer {
  const message = extra.message ?? items[0]?.message ?? status;
  const errors = items.map((item) => ({ domain: 'global', ...item }));
  return {
    status: code,
    ...(extra.headers && { headers: extra.headers }),
    body: { error: { code, message, errors, status } },
  };
}

export function invalid(message: string): ApiAnswer {
  return googleError(400, 'INVALID_ARGUMENT', [{ reason: 'invalid', message }]);
}

export function notFound(parameter: string, name: string): ApiAnswer {
  const message = `The '${parameter}' resource named '${name}' does not exist.`;
  return googleError(404, 'NOT_FOUND', [{ reason: 'notFound', message }]);
}

/** Google does not say which permission is missing: https://github.com/hashicorp/terraform-provider-google/issues/9468 */
export function forbidden(): ApiAnswer {
  return googleError(403, 'PERMISSION_DENIED', [{ reason: 'forbidden', message: 'Forbidden' }]);
}

export function unauthenticated(reason: 'required' | 'authError'): ApiAnswer {
  const message = reason === 'required' ? 'Login Required.' : 'Invalid Credentials';
  return googleError(401, 'UNAUTHENTICATED', [{ reason, message, location: 'Authorization', locationType: 'header' }], {
    headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' },
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  });
}

export function scopeTooNarrow(): ApiAnswer {
  const message = 'Request had insufficient authentication scopes.';
  return googleError(403, 'PERMISSION_DENIED', [{ reason: 'insufficientPermissions', message }]);
}

/** https://github.com/GoogleCloudPlatform and others quote it in this form for every API. */
export function apiDisabled(project: string): ApiAnswer {
  const url = `https://console.developers.google.com/apis/api/dns.googleapis.com/overview?project=${project}`;
  const message = `Cloud DNS API has not been used in project ${project} before or it is disabled. Enable it by visiting ${url} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
  return googleError(403, 'PERMISSION_DENIED', [{ domain: 'usageLimits', reason: 'accessNotConfigured', message }]);
}

/** https://github.com/kubernetes-sigs/external-dns/issues/1710; assumed: with Retry-After where a test wants one. */
export function throttled(retryAfterSeconds: number | undefined): ApiAnswer {
  const message = 'Resource has been exhausted (e.g. check quota).';
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return googleError(429, 'RESOURCE_EXHAUSTED', [{ reason: 'rateLimitExceeded', message }], { headers });
}

export function unavailable(): ApiAnswer {
  const message = 'The service is currently unavailable.';
  return googleError(503, 'UNAVAILABLE', [{ reason: 'backendError', message }]);
}
