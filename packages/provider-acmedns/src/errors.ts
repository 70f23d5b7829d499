import { oneLine, ProviderError, type ProviderErrorKind, type RecordTarget } from '@zoneproof/core';
import type { Account } from './accounts.ts';

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly location: string | undefined;
}

type Row = readonly [from: number, to: number, kind: ProviderErrorKind, advice: (answer: Answer) => string];

// First match wins. acme-dns itself answers 400, 401 and 500 (acme-dns api.go); the rest comes from what stands before it.
const table: readonly Row[] = [
  [
    401,
    401,
    'auth',
    () =>
      'acme-dns answers so to four things: a wrong user name, a wrong password, an account that may not be used from ' +
      'the address this request came from (its allowfrom), or a subdomain of another account. Compare the credentials ' +
      'document with what /register answered, and allowfrom with the address that acme-dns sees.',
  ],
  [403, 403, 'permission', () => 'Something before acme-dns refused the request: check its access rules.'],
  [404, 404, 'unavailable', () => 'There is no acme-dns API at this URL: check host.'],
  [429, 429, 'rate-limited', () => 'It is asked again later.'],
  [
    300,
    399,
    'invalid',
    ({ location }) =>
      `It redirects${location ? ` to ${oneLine(location)}` : ''}; set host to the URL of the API itself.`,
  ],
  [400, 499, 'invalid', () => 'Check that host is an acme-dns API.'],
  [500, 599, 'unavailable', () => 'It is asked again later; the log of acme-dns says why.'],
  [0, 999, 'unavailable', () => 'That is no answer of acme-dns: check host.'],
];

/** An answer that is no 2xx -> error. Pure. `what` completes "... answered 401 to": `the update of NAME`. */
export function answerError(
  { status, code, location }: Answer,
  what: string,
  at: string,
  retryAfterMs: number | undefined,
): ProviderError {
  const [, , kind, advice] = table.find(([from, to]) => status >= from && status <= to) as Row;
  const words = code === '' ? '' : ` (${code})`;
  return new ProviderError({
    kind,
    message: `${at} answered ${status}${words} to ${what}. ${advice({ status, code, location })}`,
    httpStatus: status,
    ...(code === '' ? {} : { vendorCode: code }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** A person has to create or correct the CNAME. */
export function cnameError(target: RecordTarget, account: Account, providerName: string): ProviderError {
  const { challengeName, name } = target;
  const now = name === challengeName ? 'has no CNAME' : `leads to ${name} now`;
  return new ProviderError({
    kind: 'action-required',
    message: `${providerName}: ${challengeName} ${now}, so the challenge would not be seen. Create this record in its zone: ${challengeName} CNAME ${account.fulldomain}.`,
    action: { kind: 'create-cname', name: challengeName, target: account.fulldomain },
  });
}
