import type { ProviderErrorKind } from '@zoneproof/core';
import { apiError, clockWords, hintedAt, tokenError } from './errors.ts';

const asked = {
  at: 'clouddns "prod" (Google Cloud DNS)',
  what: 'a change of 2 TXT sets in managed zone example-com',
  permission: 'dns.changes.create',
  project: 'p',
  credentials: 'entry "sa" of Secret "dns"',
  isWrite: true,
  answer: 'change' as const,
};

function body(reason: string, message = 'Words of Google.'): string {
  return JSON.stringify({ error: { code: 0, message, errors: [{ domain: 'global', reason, message }] } });
}

const page = '<html><body>xyzzy</body></html>';

describe('an answer of the API', () => {
  test.each<[number, string, ProviderErrorKind, RegExp]>([
    [401, body('authError'), 'auth', /does not take the access token of entry "sa" of Secret "dns"\./],
    [403, body('rateLimitExceeded'), 'rate-limited', /asked again later/],
    [403, body('userRateLimitExceeded'), 'rate-limited', /asked again later/],
    [403, body('RATE_LIMIT_EXCEEDED'), 'rate-limited', /asked again later/],
    [403, body('inactiveBillingState'), 'permission', /no active billing/],
    [403, body('IAM_PERMISSION_DENIED', "Permission 'x' denied."), 'permission', /says: Permission 'x' denied; this/],
    [403, body('quotaExceeded', 'The change would exceed quota for rrsets.'), 'quota', /exceed quota for rrsets/],
    [403, body('dailyLimitExceeded'), 'quota', /dns\/quotas/],
    [403, body('accessNotConfigured'), 'permission', /gcloud services enable dns\.googleapis\.com --project p/],
    [403, body('insufficientPermissions'), 'permission', /scope cloud-platform/],
    [403, body('forbidden', 'Forbidden'), 'permission', /permission dns\.changes\.create in project p/],
    [403, page, 'permission', /proxies/],
    [
      404,
      body('notFound', "The 'parameters.managedZone' resource named 'x' does not exist."),
      'zone-not-found',
      /project p/,
    ],
    [
      404,
      body('notFound', "The 'entity.change.deletions[0]' resource named 'x. (TXT)' does not exist."),
      'conflict',
      /deletions\[0\]/,
    ],
    [404, page, 'unavailable', /check endpoint/],
    [
      409,
      body('alreadyExists', "The resource 'entity.change.additions[3]' named 'x. (TXT)' already exists"),
      'conflict',
      /additions\[3\]/,
    ],
    [
      412,
      body('conditionNotMet', "Precondition not met for 'entity.change.deletions[1]'"),
      'conflict',
      /deletions\[1\]/,
    ],
    [413, page, 'quota', /larger than/],
    [429, body('rateLimitExceeded'), 'rate-limited', /asked again later/],
    [429, page, 'rate-limited', /asked again later/],
    [408, page, 'unavailable', /asked again later/],
    [302, '', 'invalid', /set endpoint/],
    [400, body('cnameResourceRecordSetConflict', 'may have either one CNAME'), 'invalid', /one CNAME/],
    [400, body('invalid'), 'invalid', /Words of Google/],
    [407, page, 'unavailable', /proxies/],
    [500, body('backendError'), 'unavailable', /asked again later/],
    [502, page, 'unavailable', /asked again later/],
    [503, body('backendError'), 'unavailable', /asked again later/],
  ])('%i %s is %s', (status, text, kind, says) => {
    const error = apiError(asked, { status, body: text, retryAfterMs: 7000 });
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(says);
    expect(error.message).toMatch(
      /^clouddns "prod" \(Google Cloud DNS\): Cloud DNS answered \d{3}.* to a change of 2 TXT sets/,
    );
    expect(error.message).not.toMatch(/xyzzy|\n|undefined/);
    expect(error.details).toMatchObject({ httpStatus: status, retryAfterMs: 7000 });
  });

  test.each([
    [500, true, true],
    [502, true, true],
    [504, true, true],
    [503, true, undefined],
    [500, false, undefined],
    [409, true, undefined],
    [429, true, undefined],
  ])('%i to a write (%s) may have been carried out: %s', (status, isWrite, sent) => {
    expect(apiError({ ...asked, isWrite }, { status, body: '' }).details.sent).toBe(sent);
  });

  test.each([
    'null',
    '[]',
    '{"error":null}',
    '{"error":{"errors":[null,5,{"reason":7}],"message":{}}}',
    '{"error":"x"}',
  ])('a body of %s does no harm', (text) =>
    expect(apiError(asked, { status: 400, body: text }).message).not.toMatch(/undefined|object Object/),
  );

  test('the newer form of a reason counts', () => {
    const text = JSON.stringify({
      error: { message: 'm', details: [{ '@type': 't' }, { reason: 'SERVICE_DISABLED' }] },
    });
    expect(apiError(asked, { status: 403, body: text }).message).toMatch(/not enabled/);
  });
});

describe('an answer of a token endpoint', () => {
  const short =
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';
  test.each<[number, object | string, ProviderErrorKind, RegExp]>([
    [400, { error: 'invalid_grant', error_description: short }, 'auth', /clock of this machine is off.*7 min ahead of/],
    [
      400,
      { error: 'invalid_grant', error_description: 'Invalid grant: account not found' },
      'auth',
      /does not exist or is disabled: .* for entry "sa" of Secret "dns"\.$/,
    ],
    [
      400,
      { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
      'auth',
      /new key for entry "sa" of Secret "dns"\.$/,
    ],
    [400, { error: 'invalid_grant', error_description: 'Invalid JWT: Failed audience check.' }, 'auth', /token_uri/],
    [400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }, 'auth', /gcloud auth/],
    [
      400,
      { error: 'invalid_scope', error_description: 'Invalid OAuth scope.' },
      'auth',
      /Check entry "sa" of Secret "dns"\.$/,
    ],
    [401, { error: 'invalid_client' }, 'auth', /Check entry "sa" of Secret "dns"\.$/],
    [401, { error: 'something_new' }, 'auth', /Check entry "sa" of Secret "dns"\.$/],
    [403, { error: { code: 403, status: 'PERMISSION_DENIED' } }, 'permission', /workloadIdentityUser/],
    [429, { error: 'x' }, 'rate-limited', /asked again later/],
    [500, { error: 'internal_failure' }, 'unavailable', /asked again later/],
    [502, page, 'unavailable', /asked again later/],
    [404, page, 'unavailable', /no answer of Google/],
  ])('%i %j is %s', (status, answer, kind, says) => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const refusal = { status, body: text, retryAfterMs: undefined, clockOffset: 7 * 60_000 };
    const error = tokenError('clouddns "prod"', 'the request for an access token', asked.credentials, refusal);
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(says);
    expect(error.message).not.toMatch(/xyzzy|\n|undefined|object Object/);
    expect(error.details.sent).toBe(false);
  });
});

test.each<[number | undefined, string]>([
  [undefined, ''],
  [20_000, ''],
  [-600_000, " It is 10 min behind Google's."],
  [600_000, " It is 10 min ahead of Google's."],
])('a clock that is off by %j ms: "%s"', (offMs, words) => expect(clockWords(offMs)).toBe(words));

test('a refusal hints at the set it is about', () => {
  const text = body('alreadyExists', "The resource 'entity.change.additions[12]' named 'x' already exists");
  expect(hintedAt(apiError(asked, { status: 409, body: text }))).toEqual({ part: 'additions', at: 12 });
  expect(hintedAt(apiError(asked, { status: 409, body: '' }))).toBeUndefined();
});
