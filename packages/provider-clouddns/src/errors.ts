import { describeOffset, jsonObject, oneLine, ProviderError, type ProviderErrorKind } from '@zoneproof/core';
import type { AnswerForm } from './answers.ts';

/** A request as messages speak of it. */
export interface Asked {
  /** For messages: `clouddns "prod" (Google Cloud DNS)`. */
  readonly at: string;
  /** Completes "answered 403 to ...": `the list of managed zones of project p`. */
  readonly what: string;
  /** The IAM permission that the request is guarded by. */
  readonly permission: string;
  readonly project: string;
  readonly credentials: CredentialsPlace;
  readonly isWrite: boolean;
  readonly answer: AnswerForm;
}

/** For messages: `entry "key.json" of Secret "clouddns"`, or `the ambient credentials`. */
export type CredentialsPlace = string;

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
  /** How far this machine's clock is ahead of Google's, in milliseconds. */
  readonly clockOffset?: number | undefined;
}

interface Told {
  readonly reason: string;
  readonly message: string;
}

type Row = readonly [
  status: RegExp,
  reason: RegExp,
  kind: ProviderErrorKind,
  advice: (asked: Asked, told: Told) => string,
];

const any = /^/;
const quote = (_asked: Asked, { message }: Told) => (message === '' ? '' : `It says: ${message}`);

/**
 * What the API answers, first match wins: HTTP status, `error.errors[0].reason`;
 * https://cloud.google.com/apis/design/errors and https://cloud.google.com/dns/docs/error-messages
 */
const apiTable: readonly Row[] = [
  [
    /^401$/,
    any,
    'auth',
    ({ credentials }) =>
      `Google does not take the access token of ${credentials}. Check that the service account still exists and is enabled.`,
  ],
  [
    /^403$/,
    /^(?:(?:rateLimit|userRateLimit|concurrentLimit)Exceeded|RATE_LIMIT_EXCEEDED)$/,
    'rate-limited',
    () => 'It is asked again later.',
  ],
  [
    /^403$/,
    /^(?:quota|dailyLimit|variableTermLimit)Exceeded$/,
    'quota',
    (asked, told) => `${quote(asked, told)} See https://cloud.google.com/dns/quotas.`,
  ],
  [
    /^403$/,
    /^(?:accessNotConfigured|SERVICE_DISABLED)$/,
    'permission',
    ({ project }) =>
      `The Cloud DNS API is not enabled in project ${project}. Enable it ("gcloud services enable dns.googleapis.com --project ${project}") and wait a few minutes.`,
  ],
  [
    /^403$/,
    /^(?:inactiveBillingState|BILLING_DISABLED)$/,
    'permission',
    ({ project }) => `Project ${project} has no active billing. Link it to a billing account and wait a few minutes.`,
  ],
  [
    /^403$/,
    /^(?:insufficientPermissions|ACCESS_TOKEN_SCOPE_INSUFFICIENT)$/,
    'permission',
    () => 'The access token does not cover Cloud DNS: give the virtual machine or node pool the scope cloud-platform.',
  ],
  [/^403$/, /^html$/, 'permission', () => 'That is no answer of Cloud DNS: check what the proxies on the way allow.'],
  [
    /^403$/,
    any,
    'permission',
    (asked, told) =>
      `${told.message === 'Forbidden' || told.message === '' ? 'Google does not say what is missing' : quote(asked, told).replace(/\.$/, '')}; this request needs the permission ${asked.permission} in project ${asked.project}.`,
  ],
  [/^404$/, /^entity$/, 'conflict', quote],
  [/^404$/, /^html$/, 'unavailable', () => 'There is no Cloud DNS API at this address: check endpoint.'],
  [
    /^404$/,
    any,
    'zone-not-found',
    ({ project }) => `Check that the zone exists in project ${project}, and the project's id.`,
  ],
  [/^(?:409|412)$/, any, 'conflict', quote],
  [/^413$/, any, 'quota', () => 'The change is larger than Cloud DNS takes.'],
  [/^429$/, any, 'rate-limited', () => 'It is asked again later.'],
  [/^408$/, any, 'unavailable', () => 'It is asked again later.'],
  [/^3\d\d$/, any, 'invalid', () => 'It redirects; set endpoint to the address of the API itself.'],
  [
    /^4\d\d$/,
    /^html$/,
    'unavailable',
    () => 'That is no answer of Cloud DNS: check endpoint and the proxies on the way.',
  ],
  [/^4\d\d$/, any, 'invalid', quote],
  [any, any, 'unavailable', () => 'It is asked again later.'],
];

type TokenRow = readonly [status: RegExp, error: RegExp, words: RegExp, kind: ProviderErrorKind, advice: string];

/**
 * What the endpoints of tokens answer, first match wins: HTTP status, `error`, `error_description`;
 * https://developers.google.com/identity/protocols/oauth2/service-account#error-codes
 */
const tokenTable: readonly TokenRow[] = [
  [/^429$/, any, any, 'rate-limited', 'It is asked again later.'],
  [/^5\d\d$/, any, any, 'unavailable', 'It is asked again later.'],
  [
    any,
    any,
    /short-lived|reasonable timeframe|iat and exp|too early|too old/i,
    'auth',
    'The clock of this machine is off: correct it (NTP).',
  ],
  [
    any,
    any,
    /account not found/i,
    'auth',
    'The service account does not exist or is disabled: take a key of one that does for the credentials.',
  ],
  [
    any,
    any,
    /invalid jwt signature|no longer valid|invalid signature/i,
    'auth',
    'The key has been deleted or is disabled at Google: create a new key for the credentials.',
  ],
  [
    any,
    any,
    /audience/i,
    'auth',
    'token_uri of the key file is not the one that Google expects: download the key file of the credentials again.',
  ],
  [any, any, /expired or revoked/i, 'auth', 'The login has expired: run "gcloud auth application-default login".'],
  [
    /^403$/,
    any,
    any,
    'permission',
    'Give the federated identity the role roles/iam.workloadIdentityUser on the service account.',
  ],
  [
    any,
    /^(?:invalid_|unauthorized_client|unsupported_|access_denied|deleted_client)/,
    any,
    'auth',
    'Check the credentials.',
  ],
  [/^(?:400|401|404)$/, /./, any, 'auth', 'Check the credentials.'],
  [any, any, any, 'unavailable', 'That is no answer of Google: check the proxies on the way.'],
];

/** A refusal by the API as error. Pure. */
export function apiError(asked: Asked, refusal: Refusal): ProviderError {
  const { status } = refusal;
  const told = toldBy(refusal.body);
  const [, , kind, advice] = apiTable.find(
    ([code, reason]) => code.test(String(status)) && reason.test(told.reason),
  ) as Row;
  const code =
    told.reason === 'html' || told.reason === '' ? '' : ` ${told.reason === 'entity' ? 'notFound' : told.reason}`;
  return new ProviderError({
    kind,
    message: `${asked.at}: Cloud DNS answered ${status}${code} to ${asked.what}. ${advice(asked, told)}`.trimEnd(),
    httpStatus: status,
    ...(code !== '' && { vendorCode: code.trim() }),
    ...(refusal.retryAfterMs !== undefined && { retryAfterMs: refusal.retryAfterMs }),
    // 503 says that nothing was begun; after another 5xx, or a gateway's, the change may have been made.
    ...(asked.isWrite && status >= 500 && status !== 503 && { sent: true }),
  });
}

/** A refusal of an access token as error. Pure. No request to the API has been sent by then: never `sent`. */
export function tokenError(at: string, what: string, credentials: CredentialsPlace, refusal: Refusal): ProviderError {
  const { status, body, retryAfterMs, clockOffset } = refusal;
  const { error, error_description: description } = jsonObject(body) ?? {};
  const code = oneLine(typeof error === 'object' && error !== null ? (error as { status?: unknown }).status : error);
  const words = oneLine(description);
  const [, , , kind, advice] = tokenTable.find(
    ([http, name, text]) => http.test(String(status)) && name.test(code) && text.test(words),
  ) as TokenRow;
  const isClock = advice.startsWith('The clock');
  return new ProviderError({
    kind,
    message: `${at}: Google answered ${status}${code === '' ? '' : ` ${code}`} to ${what}${words === '' ? '' : ` (${words})`}. ${advice.replace('the credentials', credentials)}${isClock ? clockWords(clockOffset) : ''}`,
    httpStatus: status,
    ...(code !== '' && { vendorCode: code }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    sent: false,
  });
}

/** ` It is 7 min ahead of Google's.`; nothing when it is right within 30 s or cannot be told. */
export function clockWords(offsetMs = 0): string {
  return Math.abs(offsetMs) < 30_000 ? '' : ` It is ${describeOffset(offsetMs)} Google's.`;
}

/** Which set of a change is meant; only a hint, since the answer names the first. `additions[3]` -> 3 */
export function hintedAt(
  error: ProviderError,
): { readonly part: 'additions' | 'deletions'; readonly at: number } | undefined {
  const [, part, at] = /entity\.change\.(additions|deletions)\[(\d+)\]/.exec(error.message) ?? [];
  return part === undefined ? undefined : { part: part as 'additions' | 'deletions', at: Number(at) };
}

function toldBy(body: string): Told {
  const error = jsonObject(body)?.error as
    | {
        readonly message?: unknown;
        readonly errors?: readonly { readonly reason?: unknown }[];
        readonly details?: readonly { readonly reason?: unknown }[];
      }
    | undefined;
  if (typeof error !== 'object' || error === null) return { reason: 'html', message: '' };
  const reasons = [...list(error.details), ...list(error.errors)].map(({ reason }) => reason);
  const reason = oneLine(reasons.find((one) => typeof one === 'string' && one !== ''));
  const message = oneLine(error.message);
  // Deleting a set that is not there is a 404 as well, and says nothing about the zone.
  return { reason: reason === 'notFound' && message.includes('entity.change.') ? 'entity' : reason, message };
}

function list(value: unknown): readonly { readonly reason?: unknown }[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
