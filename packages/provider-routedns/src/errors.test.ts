import { answerError, type ErrorContext, type RefusingAnswer } from './errors.ts';

const now = Date.parse('2026-11-21T15:00:00Z');
const context: ErrorContext = {
  providerName: 'routedns "prod" (AWS Route 53)',
  what: '3 changes of zone example.com',
  now,
  writes: true,
};

function told(status: number, code: string, more: Partial<RefusingAnswer> = {}) {
  return answerError({ status, code, message: '', headers: {}, ...more }, context);
}

test.each([
  [400, 'Throttling', 'rate-limited', /whole AWS account/],
  [400, 'ThrottlingException', 'rate-limited', /asked again/],
  [400, 'PriorRequestNotComplete', 'conflict', /another change/i],
  [403, 'ExpiredToken', 'auth', /session has ended/],
  [403, 'InvalidClientTokenId', 'auth', /check that accessKeyID/],
  [403, 'SignatureDoesNotMatch', 'auth', /secretAccessKeySecretRef/],
  [400, 'RequestExpired', 'auth', /clock/],
  [403, 'MissingAuthenticationToken', 'auth', /credentials/],
  [400, 'InvalidIdentityToken', 'auth', /credentials/],
  [403, 'AccessDenied', 'permission', /zoneproof policy routedns/],
  [404, 'NoSuchHostedZone', 'zone-not-found', /hostedZoneID/],
  [400, 'InvalidInput', 'invalid', /does not take/],
  [400, 'InvalidChangeBatch', 'invalid', /does not take/],
  [400, 'LimitsExceeded', 'quota', /quota/],
  [503, 'ServiceUnavailable', 'unavailable', /later/],
  [500, 'InternalFailure', 'unavailable', /later/],
  [200, '', 'unavailable', /no answer of Route 53/],
  [302, '', 'invalid', /redirects/],
  [401, '', 'auth', /before Route 53/],
  [403, '', 'permission', /before Route 53/],
  [404, '', 'unavailable', /endpoint/],
  [413, '', 'invalid', /endpoint/],
  [429, '', 'rate-limited', /later/],
  [502, '', 'unavailable', /later/],
  [400, 'SomethingNewException', 'invalid', /its words say why/],
  [500, 'SomethingNewException', 'unavailable', /later/],
  [503, 'ServiceUnavailableException', 'unavailable', /later/],
  [500, 'InternalServerException', 'unavailable', /later/],
  [408, 'RequestTimeoutException', 'unavailable', /later/],
  [403, 'ExpiredTokenException', 'auth', /session has ended/],
  [400, 'AccessDeniedException', 'permission', /zoneproof policy routedns/],
] as const)('%i %s is %s', (status, code, kind, advice) => {
  const error = told(status, code);
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(advice);
  const happened = code === '' ? `HTTP ${status} came back to` : 'AWS refused';
  expect(error.message).toContain(`routedns "prod" (AWS Route 53): ${happened} 3 changes of zone example.com`);
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(error.details).toMatchObject({ httpStatus: status, ...(code !== '' && { vendorCode: code }) });
});

test.each([
  [503, false],
  [400, false],
  [500, true],
  [502, true],
  [200, true],
])('whether a write with %i may have been carried out: %s', (status, sent) =>
  expect(told(status, '').details.sent).toBe(sent),
);

test.each(['RequestTimeout', 'RequestAbortedException'])('a write that ends in %s may have been carried out', (code) =>
  expect(told(408, code).details.sent).toBe(true),
);

test('a role that may not be assumed: its trust policy and the external id may be why', () => {
  const message =
    'User: arn:aws:iam::1:user/x is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::2:role/y';
  expect(told(403, 'AccessDenied', { message }).message).toMatch(/trust policy of the role; check externalID\.$/);
});

test('what was sent as a secret does not come back', () => {
  const message =
    "1 validation error detected: Value 'eyJhbGciOi.J9' at 'webIdentityToken' failed to satisfy constraint";
  const answer = { status: 400, code: 'ValidationError', message, headers: {} };
  const error = answerError(answer, { ...context, secrets: [undefined, '', 'eyJhbGciOi.J9'] });
  expect(error.message).toContain("Value '[secret]' at 'webIdentityToken'");
});

test('AWS names user, action and resource, and so does the message', () => {
  const message =
    'User: arn:aws:iam::1:user/x is not authorized to perform: route53:GetChange on resource: arn:aws:route53:::change/C1';
  expect(told(403, 'AccessDenied', { message }).message).toContain(`(AccessDenied): ${message}. Allow it`);
});

test('a signature that does not fit for the clock says by how much', () => {
  const headers = { date: 'Sat, 21 Nov 2026 15:10:05 GMT' };
  expect(told(403, 'SignatureDoesNotMatch', { headers }).message).toContain(
    "The clock of this machine is 10 min behind AWS's. Set the clock",
  );
  expect(told(403, 'AccessDenied', { headers }).message).not.toContain('clock');
});

test('Retry-After is read where something in between sends it', () => {
  expect(told(429, '', { headers: { 'retry-after': '7' } }).details.retryAfterMs).toBe(7_000);
});
