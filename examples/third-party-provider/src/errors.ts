import {
  type HttpAnswer,
  type KnownError,
  oneLine,
  ProviderError,
  type ProviderErrorKind,
  type ProviderHost,
  retryAfterMs,
} from '@zoneproof/core';

/** The service's codes, https://dns.example/docs/errors. The kind decides what zoneproof does next. */
export const knownErrors: readonly KnownError[] = [
  { kind: 'auth', seen: 'bad_token', advice: 'Put a token of the account into the Secret of tokenSecretRef.' },
  { kind: 'auth', seen: 'expired_token', advice: 'Make a new token and put it into the Secret of tokenSecretRef.' },
  { kind: 'permission', seen: 'not_allowed', advice: 'Give the token the rights zones:read and txt:write.' },
  { kind: 'zone-not-found', seen: 'no_such_zone', advice: 'Add the zone to the account.' },
  { kind: 'invalid', seen: 'bad_value', advice: 'Report this to the maintainer of the provider.' },
  { kind: 'quota', seen: 'zone_full', advice: 'Remove values that nobody needs, or ask ExampleDNS for more room.' },
  { kind: 'rate-limited', seen: 'too_many_requests', advice: 'Nothing: zoneproof waits as long as it is told.' },
];

/** Something between us and the service may refuse as well, without its codes. */
const kinds: Readonly<Record<number, ProviderErrorKind>> = { 401: 'auth', 403: 'permission', 429: 'rate-limited' };

/** An answer that is no success. */
export function refusal({ status, headers, body }: HttpAnswer, what: string, host: ProviderHost): ProviderError {
  const { code = '', message } = readRefusal(body);
  const known = knownErrors.find(({ seen }) => seen === code);
  const kind = known?.kind ?? kinds[status] ?? (status >= 500 ? 'unavailable' : 'invalid');
  const advice =
    known?.advice ?? (kind === 'unavailable' ? 'It is asked again later.' : 'Check the token and endpoint.');
  const words = [code, oneLine(message)].filter(Boolean).join(': ');
  const pause = retryAfterMs(headers['retry-after'], host.clock.now());
  return new ProviderError({
    kind,
    message: `${host.providerName} answered ${status}${words && ` (${words})`} to ${what}. ${advice}`,
    httpStatus: status,
    // A gateway that gave up waiting cannot tell whether the service has carried the request out.
    sent: status >= 500,
    ...(known && { vendorCode: code }),
    ...(pause !== undefined && { retryAfterMs: pause }),
  });
}

/** A success that is not what the service's documentation says, a proxy's page for example. */
export function unreadable(what: string, host: ProviderHost): ProviderError {
  const message = `${host.providerName}: the answer to ${what} is not that of ExampleDNS. Check endpoint.`;
  return new ProviderError({ kind: 'unavailable', message, sent: true });
}

function readRefusal(body: Uint8Array): { readonly code?: string; readonly message?: unknown } {
  try {
    const { code, message } = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
    return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? { code, message } : {};
  } catch {
    return {};
  }
}
