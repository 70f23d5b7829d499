import {
  clockOffsetMs,
  describeOffset,
  type HttpAnswer,
  headerOf,
  jsonObject,
  oneLine,
  ProviderError,
  type ProviderErrorKind,
  retryAfterMs,
} from '@zoneproof/core';

/** What an answer that is no 2xx says, from the problem object (RFC 9457) or from an HTML page of the edge. */
export interface Refusal {
  readonly status: number;
  /** The end of the problem's type: `duplicateRecordSet`, `pep-authn/deny`; `html` for a page. */
  readonly code: string;
  readonly detail: string;
  readonly requestId?: string;
}

/** Where a refusal came from. */
export interface RefusedRequest {
  /** Completes "... answered 403 to": `the list of zones`. */
  readonly what: string;
  /** `fastdns "prod" (Akamai Edge DNS): akab-x.luna.akamaiapis.net` */
  readonly at: string;
  readonly isWrite: boolean;
  /** Epoch milliseconds of this machine. */
  readonly now: number;
}

type Row = readonly [
  status: number | readonly [from: number, to: number],
  code: RegExp | undefined,
  detail: RegExp | undefined,
  kind: ProviderErrorKind,
  advice: string,
];

const credentials = 'clientTokenSecretRef, clientSecretSecretRef and accessTokenSecretRef';

// First match wins. Sources: https://techdocs.akamai.com/edge-dns/reference/errors and the issues that are named.
export const table: readonly Row[] = [
  // EdgeGrid allows 30 s: akamai/terraform-provider-akamai#758, akamai/AkamaiOPEN-edgegrid-node#234
  [[400, 401], /pep-authn/, /timestamp/i, 'auth', 'Set the clock of this machine right (NTP): Akamai allows 30 s.'],
  // akamai/terraform-provider-akamai#500, #728
  [
    [400, 403],
    undefined,
    /\bWAF deny rule\b/i,
    'rate-limited',
    'Akamai blocks this address for too many requests in a short time. It is asked again later.',
  ],
  [
    401,
    undefined,
    /signature/i,
    'auth',
    `Check that ${credentials} come from one API client, and that nothing on the way changes requests.`,
  ],
  [
    401,
    undefined,
    /client token/i,
    'auth',
    'The API client was deleted, locked, or its credential has expired: make a new credential in Identity & Access.',
  ],
  [401, undefined, undefined, 'auth', `Check ${credentials}.`],
  [[400, 400], /pep-authn/, undefined, 'auth', `Check ${credentials}.`],
  // akamai/cli-cps#73
  [
    403,
    /pep-authz/,
    undefined,
    'permission',
    'Give the API client the API service "DNS-Zone Record Management" with access level READ-WRITE.',
  ],
  // An access list of the API client, or a host that is none of an API client.
  [403, /^html$/, undefined, 'permission', 'Check serviceConsumerDomain, and the IP access list of the API client.'],
  // akamai/terraform-provider-akamai#647
  [403, undefined, undefined, 'permission', "Give the API client's role write access to the group of the zone."],
  [
    404,
    undefined,
    /change list/i,
    'conflict',
    'Another process with this API client removed the change list. It is made again.',
  ],
  [404, /^html$/, undefined, 'unavailable', 'That is no answer of the API: check serviceConsumerDomain.'],
  [
    404,
    undefined,
    undefined,
    'zone-not-found',
    'Check that the zone is in this account, and that the API client may see it.',
  ],
  // dns-aid/dns-aid-core#202
  [409, /concurrent/i, undefined, 'conflict', 'Another change of the zone is under way. It is tried again.'],
  [[409, 412], undefined, undefined, 'conflict', 'Somebody else changed the zone meanwhile. It is tried again.'],
  // What an edit of a set meets that is not there any more: dns-aid/dns-aid-core#202
  [
    400,
    undefined,
    /\b(does not exist|duplicate record ?set)/i,
    'conflict',
    'Somebody else changed the zone meanwhile. It is tried again.',
  ],
  [429, undefined, undefined, 'rate-limited', 'It is asked again later.'],
  [
    [400, 422],
    undefined,
    /\b(exceed|limit|quota|maximum)/i,
    'quota',
    'Remove record sets that are not needed, or ask Akamai to raise the limit.',
  ],
  [[300, 399], undefined, undefined, 'invalid', 'The API does not redirect: check serviceConsumerDomain.'],
  [408, undefined, undefined, 'unavailable', 'It is asked again later.'],
  [[400, 499], undefined, undefined, 'invalid', 'The API does not accept this request; nothing was changed.'],
  [[500, 599], undefined, undefined, 'unavailable', 'It is asked again later.'],
  [[0, 999], undefined, undefined, 'unavailable', 'That is no answer of the API: check serviceConsumerDomain.'],
];

/** Reads what a refusal says. Pure; of a page, only its reference number. */
export function readRefusal({ status, headers, body }: HttpAnswer): Refusal {
  const text = Buffer.from(body).toString('utf8');
  if (isPage(headers, text)) {
    // AkamaiGHost writes `Reference&#32;&#35;18&#46;2f1c...`; Akamai's Error Translator takes the number.
    const plain = text.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
    const reference = /Reference #([\w.]{4,80})/.exec(plain)?.[1];
    return {
      status,
      code: 'html',
      detail: 'an HTML page',
      ...(reference === undefined ? {} : { requestId: reference }),
    };
  }
  const problem = jsonObject(text) ?? {};
  const type = typeof problem.type === 'string' ? problem.type : '';
  const code = /(pep-\w+\/[\w-]+|[\w-]+)\/?$/.exec(type)?.[1] ?? '';
  const requestId = [problem.requestId, problem.problemId, problem.instance].find(
    (id): id is string => typeof id === 'string' && /^[\w.-]{4,80}$/.test(id),
  );
  const detail = oneLine(problem.detail) || oneLine(problem.title);
  return { status, code, detail, ...(requestId === undefined ? {} : { requestId }) };
}

/** An answer that is no 2xx -> error. Pure. */
export function answerError(answer: HttpAnswer, request: RefusedRequest): ProviderError {
  const refusal = readRefusal(answer);
  const { status, code, detail, requestId } = refusal;
  const [, , , kind, advice] = rowOf(refusal);
  const { what, at, isWrite, now } = request;
  const said = detail === '' ? '' : `: ${detail.replace(/\.$/, '')}`;
  const clock = kind === 'auth' ? clockNote(answer, now) : '';
  const wait = kind === 'rate-limited' ? pauseMs(answer, now) : undefined;
  // A gateway that gave up may have passed the request on; 503 is a refusal.
  const mayBeDone = isWrite && status >= 500 && status !== 503;
  return new ProviderError({
    kind,
    message: `${at} answered ${status} to ${what}${said}.${clock} ${advice}`,
    httpStatus: status,
    sent: mayBeDone,
    ...(code === '' ? {} : { vendorCode: code }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

/** True for a 2xx that is no answer of the API: a page of a proxy or a portal in between. */
export function isForeignPage({ headers, body }: HttpAnswer): boolean {
  return isPage(headers, Buffer.from(body.subarray(0, 100)).toString('latin1'));
}

/** The same status says that the zone or the change list is not there. https://github.com/linode/cluster-api-provider-linode/pull/419 */
export function isNoRecordSet(answer: HttpAnswer): boolean {
  const { status, detail } = readRefusal(answer);
  return status === 404 && /\brecord ?set\b/i.test(wordsOf(detail));
}

/** Without the domain names, which are not Akamai's words: `_acme-challenge.limit.example.com` is no limit. */
function wordsOf(detail: string): string {
  return detail.replace(/[\w*-]+(?:\.[\w-]+)+/g, '...');
}

function rowOf({ status, code, detail: whole }: Refusal): Row {
  const detail = wordsOf(whole);
  return table.find(([on, ofCode, ofDetail]) => {
    const [from, to] = typeof on === 'number' ? [on, on] : on;
    return status >= from && status <= to && (ofCode?.test(code) ?? true) && (ofDetail?.test(detail) ?? true);
  }) as Row;
}

function isPage(headers: HttpAnswer['headers'], text: string): boolean {
  return /\bhtml\b/i.test(headerOf(headers, 'content-type') ?? '') || /^\s*</.test(text);
}

/** Retry-After, or X-RateLimit-Next (https://techdocs.akamai.com/edge-dns/reference/rate-limiting). */
function pauseMs({ headers }: HttpAnswer, now: number): number | undefined {
  const after = retryAfterMs(headers['retry-after'], now);
  if (after !== undefined) return after;
  const next = Date.parse(headerOf(headers, 'x-ratelimit-next') ?? '');
  return Number.isNaN(next) ? undefined : Math.max(0, next - now);
}

function clockNote({ headers }: HttpAnswer, now: number): string {
  const offset = clockOffsetMs(headers, now);
  if (offset === undefined || Math.abs(offset) < 20_000) return '';
  return ` The clock of this machine is ${describeOffset(offset)} Akamai's.`;
}
