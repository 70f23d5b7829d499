import {
  type HttpAnswer,
  headerOf,
  type KnownError,
  oneLine,
  ProviderError,
  type ProviderErrorKind,
  retryAfterMs,
} from '@zoneproof/core';

/** One sort of refusal. All that a row names has to be met. */
interface Row {
  /** Codes of `errors` and of their `error_chain`. */
  readonly codes?: readonly number[];
  readonly status?: readonly [from: number, to: number];
  /** Whether the request was about one zone. */
  readonly ofZone?: boolean;
  /** Where one code means several things. */
  readonly says?: RegExp;
  readonly kind: ProviderErrorKind;
  /** For the docs; rows without it are variants of the one before. */
  readonly seen?: string;
  readonly advice: string;
}

// First match wins. Codes: https://developers.cloudflare.com/fundamentals/api/troubleshooting/ and
// https://developers.cloudflare.com/dns/manage-dns-records/troubleshooting/
const table: readonly Row[] = [
  {
    status: [429, 429],
    kind: 'rate-limited',
    seen: '429, 971, 10100, 10300: more than 1,200 requests in five minutes, those of other programs and of the dashboard included',
    advice: 'This account pauses by itself until Cloudflare takes requests again.',
  },
  {
    codes: [971, 10100, 10300], // the last: https://github.com/kubernetes-sigs/external-dns/issues/2135
    kind: 'rate-limited',
    advice: 'This account pauses by itself until Cloudflare takes requests again.',
  },
  {
    codes: [9109],
    says: /location/i,
    kind: 'permission',
    seen: '9109 with "location": the client IP filter of the token',
    advice: "Add the address that this program comes from to the token's client IP address filtering.",
  },
  {
    codes: [9109],
    says: /unauthorized/i,
    kind: 'permission',
    seen: '9109 with "Unauthorized", or 403',
    advice: 'Give the token Zone:Zone:Read and Zone:DNS:Edit, and the zone as one of its zone resources.',
  },
  {
    codes: [6003, 6102, 6103, 6111, 9106, 9107],
    kind: 'auth',
    seen: '6003, 6102, 6103, 6111, 9106: credentials of a wrong form',
    advice:
      'Look into the Secret: an API token belongs into apiTokenSecretRef, a Global API Key into apiKeySecretRef beside email.',
  },
  {
    codes: [1000, 1009, 9103, 9109, 10001],
    kind: 'auth',
    seen: '9103, 9109, 1000, 1009, 10001: credentials that are unknown, revoked, rolled or expired',
    advice:
      'Compare the Secret (and email) with the dashboard under My Profile, API Tokens, and replace what has ended.',
  },
  {
    codes: [10000],
    status: [403, 403],
    kind: 'permission',
    seen: '10000 with 403: the credentials are taken, but not for this',
    advice:
      'Give the token Zone:DNS:Edit, and the zone as one of its zone resources; Cloudflare answers so to a token that has ended, too.',
  },
  {
    codes: [10000],
    kind: 'auth',
    advice:
      'Compare the Secret (and email) with the dashboard under My Profile, API Tokens, and replace what has ended.',
  },
  {
    codes: [1038],
    kind: 'permission',
    seen: '1038: a zone below .cf, .ga, .gq, .ml or .tk',
    advice: 'Cloudflare closes its API to these zones: let _acme-challenge be a CNAME into a zone elsewhere.',
  },
  {
    codes: [7000, 7003],
    ofZone: false,
    kind: 'invalid',
    seen: '7000, 7003 to the list of zones: the path of endpoint is wrong',
    advice: 'Check endpoint: it has to be the base URL of the API with its version path, such as /client/v4.',
  },
  {
    codes: [1001, 7000, 7003],
    ofZone: true,
    kind: 'zone-not-found',
    seen: '7003, 7000, 1001: the zone has left the account',
    advice: 'Add the zone to this account again, or give the domain to another provider; check endpoint if it is set.',
  },
  {
    codes: [81044, 81057, 81058],
    kind: 'conflict',
    seen: '81044, 81057, 81058: a record came or went in between',
    advice: 'The zone is read and written again by itself.',
  },
  {
    codes: [81053, 81054],
    kind: 'invalid',
    seen: '81053, 81054: a CNAME stands at the name',
    advice: 'Remove the CNAME, or let it lead to a zone that a provider of this Issuer can write.',
  },
  {
    codes: [81045],
    kind: 'quota',
    seen: '81045: the zone has as many records as its plan allows (200 on Free)',
    advice: 'Remove records that are not needed, or choose a larger plan.',
  },
  {
    codes: [9021],
    kind: 'invalid',
    seen: '9021: a TTL that Cloudflare does not take',
    advice: 'Report this to the maintainer of this package: it is outside 60 to 86400.',
  },
  { status: [401, 401], kind: 'auth', advice: 'Replace the credentials in the Secret.' },
  {
    status: [403, 403],
    kind: 'permission',
    advice: 'Give the token Zone:Zone:Read and Zone:DNS:Edit; or something on the way refuses this program.',
  },
  {
    status: [404, 404],
    kind: 'zone-not-found',
    advice: 'Check that the zone is in this account, and endpoint if it is set.',
  },
  {
    status: [300, 399],
    kind: 'invalid',
    seen: 'a redirect',
    advice: 'Set endpoint to the base URL of the API itself.',
  },
  {
    status: [400, 499],
    kind: 'invalid',
    seen: '400 with another code',
    advice: "The answer's own words tell what Cloudflare does not take.",
  },
  {
    kind: 'unavailable',
    seen: '5xx, no answer, an answer that is not of the API',
    advice:
      'It is repeated by itself. When it lasts, look at www.cloudflarestatus.com and at what is on the way (proxy, endpoint).',
  },
];

/** For the docs. */
export const knownErrors: readonly KnownError[] = table.flatMap(({ kind, seen, advice }) =>
  seen === undefined ? [] : [{ kind, seen, advice }],
);

/** What is told about one request: where it went (`edgedns "prod" (Cloudflare): api.cloudflare.com`) and what for. */
export interface Asked {
  readonly at: string;
  /** `the list of zones` */
  readonly what: string;
  readonly ofZone: boolean;
  /** Where the credentials are: `entry "token" of Secret "cloudflare"`. */
  readonly secret: string;
  readonly isWrite: boolean;
}

/** The answer's `errors`, as far as they can be read. Pure. */
interface VendorError {
  readonly code: number;
  readonly message: string;
}

/** An answer that is no success of the API -> error. Pure but for the time of `now`, epoch milliseconds. */
export function answerError(
  answer: HttpAnswer,
  body: unknown,
  { at, what, ofZone, secret, isWrite }: Asked,
  now: number,
): ProviderError {
  const { status } = answer;
  const errors = errorsOf(body);
  const row = table.find((one) => meets(one, status, ofZone, errors)) as Row;
  const [first] = errors;
  const code = first === undefined ? '' : ` (${[first.code || '', oneLine(first.message)].join(' ').trim()})`;
  const unread = errors.length === 0 && status < 300 ? ' something that is no answer of the API' : '';
  const wait = row.kind === 'rate-limited' ? pauseOf(answer, now) : undefined;
  const requestId = headerOf(answer.headers, 'cf-ray');
  return new ProviderError({
    kind: row.kind,
    message: `${at} answered ${status}${unread}${code} to ${what}. ${row.advice.replace('the Secret', secret)}`,
    httpStatus: status,
    ...(first !== undefined && { vendorCode: String(errors.at(-1)?.code ?? first.code) }),
    ...(requestId !== undefined && { requestId }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    // RFC 9110 15.6.4: a 503 was not carried out. Every other failure of a server may come after the work was done.
    sent: isWrite && row.kind === 'unavailable' && status !== 503,
  });
}

function meets(row: Row, answered: number, isOfZone: boolean, errors: readonly VendorError[]): boolean {
  const { codes, status, ofZone = isOfZone, says } = row;
  if (ofZone !== isOfZone) return false;
  if (codes !== undefined && !errors.some(({ code }) => codes.includes(code))) return false;
  if (status !== undefined && (answered < status[0] || answered > status[1])) return false;
  return says === undefined || errors.some(({ message }) => says.test(message));
}

function errorsOf(body: unknown): readonly VendorError[] {
  return listAt(body, 'errors').flatMap((error) => [
    ...vendorError(error),
    ...listAt(error, 'error_chain').flatMap(vendorError),
  ]);
}

function vendorError(error: unknown): VendorError[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return [{ code: Number(code) || 0, message: typeof message === 'string' ? message : '' }];
}

function listAt(value: unknown, field: string): readonly unknown[] {
  const list = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
  return Array.isArray(list) ? list : [];
}

/** `retry-after`, else the seconds in `Ratelimit: "default";r=0;t=30`: https://developers.cloudflare.com/fundamentals/api/reference/limits/ */
function pauseOf(answer: HttpAnswer, now: number): number | undefined {
  const stated = retryAfterMs(answer.headers['retry-after'], now);
  if (stated !== undefined) return stated;
  const waits = [...(headerOf(answer.headers, 'ratelimit') ?? '').matchAll(/r=0;t=(\d{1,6})/g)];
  return waits.length === 0 ? undefined : 1000 * Math.max(...waits.map(([, seconds]) => Number(seconds)));
}
