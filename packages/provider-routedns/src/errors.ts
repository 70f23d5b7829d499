import {
  clockOffsetMs,
  describeOffset,
  oneLine,
  ProviderError,
  type ProviderErrorKind,
  retryAfterMs,
} from '@zoneproof/core';

/** An answer that refuses. */
export interface RefusingAnswer {
  readonly status: number;
  /** AWS's code: `AccessDenied`; empty when it is none of AWS. */
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface ErrorContext {
  /** `routedns "prod" (AWS Route 53)` */
  readonly providerName: string;
  /** `the list of zones` */
  readonly what: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The request may change something. */
  readonly writes: boolean;
  /** What was sent and must not come back in an error: AWS quotes values that it does not take. */
  readonly secrets?: readonly (string | undefined)[];
}

type Verdict = readonly [kind: ProviderErrorKind, advice: string];
type Row = readonly [codes: RegExp, ...Verdict];

const later = 'It is asked again later.';
const clock = 'Set the clock of this machine (NTP); AWS allows 5 minutes.';

// Codes without "Exception" at their end; the first match wins.
// https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html and those of the actions
const table: readonly Row[] = [
  [
    /^(Throttling|Throttled|TooManyRequests|RequestLimitExceeded|SlowDown)$/,
    'rate-limited',
    'The limit is that of the whole AWS account, so other programs count too. It is asked again, more slowly.',
  ],
  [
    /^(PriorRequestNotComplete|ConcurrentModification)$/,
    'conflict',
    'Another change of that zone is under way; it is tried again.',
  ],
  [
    /^ExpiredToken$/,
    'auth',
    'The session has ended. Ambient credentials and roles are fetched anew; a session in a Secret or in AWS_SESSION_TOKEN has to be renewed there.',
  ],
  [
    /^(InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId)$/,
    'auth',
    'AWS knows no such access key id: check that accessKeyID is complete, that the key is active, and that region is in its partition.',
  ],
  [/^(RequestExpired|RequestTimeTooSkewed|RequestInTheFuture)$/, 'auth', clock],
  [
    /^(SignatureDoesNotMatch|InvalidSignature|IncompleteSignature)$/,
    'auth',
    'The secret access key is not the one of this access key id: check the entry of secretAccessKeySecretRef.',
  ],
  [/^(MissingAuthenticationToken|InvalidIdentityToken|IDPRejectedClaim)$/, 'auth', 'Check the credentials.'],
  [
    /^(AccessDenied|UnauthorizedOperation|NotAuthorized|OptInRequired|RegionDisabled)$/,
    'permission',
    'Allow it in the IAM policy of these credentials; "zoneproof policy routedns" prints the whole policy.',
  ],
  [
    /^NoSuchHostedZone$/,
    'zone-not-found',
    'Check hostedZoneID, and that the credentials belong to the account of the zone.',
  ],
  [/^(LimitsExceeded|QuotaExceeded)$/, 'quota', 'Remove records that are not needed, or have AWS raise the quota.'],
  [/^(ServiceUnavailable|Internal\w*|IDPCommunicationError|RequestTimeout|RequestAborted)$/, 'unavailable', later],
];

type StatusRow = readonly [from: number, to: number, ...Verdict];

// Answers without a code of AWS: something in between, or no Route 53 at all.
const statusRows: readonly StatusRow[] = [
  [200, 299, 'unavailable', 'That is no answer of Route 53: check endpoint, and what stands in between.'],
  [300, 399, 'invalid', 'It redirects; set endpoint to the origin of the API itself.'],
  [401, 401, 'auth', 'Something before Route 53 asks for credentials: check endpoint.'],
  [403, 403, 'permission', 'Something before Route 53 refused the request: check its access rules.'],
  [404, 404, 'unavailable', 'There is no Route 53 API at this address: check endpoint.'],
  [429, 429, 'rate-limited', later],
  [400, 499, 'invalid', 'Check endpoint.'],
  [0, 999, 'unavailable', later],
];

/** Pure. */
export function answerError(answer: RefusingAnswer, context: ErrorContext): ProviderError {
  const { status, code } = answer;
  const [kind, advice] = code === '' ? byStatus(status) : byCode(code, status, answer.message);
  const off = kind === 'auth' ? clockOff(answer, context.now) : undefined;
  const retryAfter = retryAfterMs(answer.headers['retry-after'], context.now);
  const happened =
    code === '' ? `HTTP ${status} came back to ${context.what}` : `AWS refused ${context.what} (${code})`;
  return new ProviderError({
    kind,
    message: `${context.providerName}: ${happened}${saidBy(answer, context)}. ${off ?? advice}`,
    httpStatus: status,
    sent: context.writes && mayBeDone(status, code),
    ...(code !== '' && { vendorCode: code }),
    ...(answer.requestId !== undefined && { requestId: answer.requestId }),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

/** A 503 is said before anything is done (RFC 9110 15.6.4); of other failures nobody knows. */
function mayBeDone(status: number, code: string): boolean {
  return status < 400 || (status >= 500 && status !== 503) || /^Request(Timeout|Aborted)/.test(code);
}

function byCode(code: string, status: number, message: string): Verdict {
  const [, kind, advice] = table.find(([codes]) => codes.test(code.replace(/Exception$/, ''))) ?? [];
  // No policy that zoneproof prints grants this one, and a trust policy refuses in the same words.
  if (kind === 'permission' && message.includes('sts:AssumeRole'))
    return [
      kind,
      'Allow it in the IAM policy of these credentials and in the trust policy of the role; check externalID.',
    ];
  if (kind !== undefined && advice !== undefined) return [kind, advice];
  return status >= 500
    ? ['unavailable', later]
    : ['invalid', 'AWS does not take the request as it is; its words say why.'];
}

function byStatus(status: number): Verdict {
  const [, , kind, advice] = statusRows.find(([from, to]) => status >= from && status <= to) as StatusRow;
  return [kind, advice];
}

/** AWS names user, action and resource in the sentence; of a signature it only repeats dates and headers. */
function saidBy({ code, message }: RefusingAnswer, { secrets = [] }: ErrorContext): string {
  if (code === '' || message === '' || /Signature|UnknownError/.test(code + message)) return '';
  const told = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, '[secret]') : text), message);
  return `: ${oneLine(told).replace(/[.\s]+$/, '')}`;
}

function clockOff({ headers, code }: RefusingAnswer, now: number): string | undefined {
  const offMs = clockOffsetMs(headers, now) ?? 0;
  if (Math.abs(offMs) < 120_000 || !/Signature|Expired|Skewed|Future/.test(code)) return undefined;
  return `The clock of this machine is ${describeOffset(offMs)} AWS's. ${clock}`;
}
