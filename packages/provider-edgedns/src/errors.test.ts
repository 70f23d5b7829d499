import type { HttpAnswer, ProviderErrorKind } from '@zoneproof/core';
import { answerError, knownErrors } from './errors.ts';

const asked = {
  at: 'edgedns "lab" (Cloudflare): api.cloudflare.com',
  what: 'the list of zones',
  ofZone: true,
  secret: 'entry "token" of Secret "cloudflare"',
  isWrite: false,
};
const now = 1_000_000;

interface VendorError {
  readonly code: number;
  readonly message: string;
  readonly error_chain?: readonly VendorError[];
}

function errorOf(
  status: number,
  errors?: readonly VendorError[],
  headers: HttpAnswer['headers'] = {},
  isWrite = false,
) {
  const body = errors === undefined ? {} : { success: false, errors, messages: [], result: null };
  return answerError({ status, headers, body: new Uint8Array() }, body, { ...asked, isWrite }, now);
}

test.each<[status: number, code: number, words: string, kind: ProviderErrorKind, advice: RegExp]>([
  [429, 971, 'Please wait', 'rate-limited', /pauses by itself/],
  [400, 10100, 'Too many', 'rate-limited', /pauses by itself/],
  [403, 10300, 'Overall calls per time limit', 'rate-limited', /pauses by itself/],
  [403, 9109, 'Cannot use the access token from location: 192.0.2.1', 'permission', /client IP address filtering/],
  [403, 9109, 'Unauthorized to access requested resource', 'permission', /Zone:Zone:Read and Zone:DNS:Edit/],
  [403, 9109, 'Invalid access token', 'auth', /replace what has ended/],
  [
    403,
    9103,
    'Unknown X-Auth-Key or X-Auth-Email',
    'auth',
    /Compare entry "token" of Secret "cloudflare" \(and email\)/,
  ],
  [400, 9106, 'Missing X-Auth-Key', 'auth', /apiTokenSecretRef/],
  [400, 6003, 'Invalid request headers', 'auth', /apiTokenSecretRef/],
  [400, 1009, 'x', 'auth', /replace/],
  [401, 1000, 'Invalid API Token', 'auth', /replace/],
  [403, 10000, 'Authentication error', 'permission', /Zone:DNS:Edit/],
  [401, 10000, 'Authentication error', 'auth', /replace/],
  [403, 1038, 'You cannot use this API for domains with a .cf', 'permission', /CNAME into a zone elsewhere/],
  [404, 7003, 'Could not route to /zones/x', 'zone-not-found', /Add the zone/],
  [400, 7000, 'No route for that URI', 'zone-not-found', /Add the zone/],
  [404, 81044, 'Record does not exist.', 'conflict', /read and written again/],
  [400, 81057, 'The record already exists.', 'conflict', /read and written again/],
  [400, 81058, 'An identical record already exists.', 'conflict', /read and written again/],
  [400, 81053, 'An A, AAAA, or CNAME record with that host already exists.', 'invalid', /Remove the CNAME/],
  [400, 81054, 'A CNAME record with that host already exists.', 'invalid', /Remove the CNAME/],
  [400, 81045, 'Record quota exceeded.', 'quota', /larger plan/],
  [400, 9021, 'Invalid TTL.', 'invalid', /60 to 86400/],
  [400, 9005, 'Content for TXT record is invalid.', 'invalid', /own words/],
  [401, 0, 'x', 'auth', /Replace/],
  [403, 0, "Actor requires permission 'com.cloudflare.api.account.zone.list'", 'permission', /Zone:Zone:Read/],
  [404, 0, 'x', 'zone-not-found', /endpoint/],
  [500, 0, 'x', 'unavailable', /repeated/],
  [503, 7010, 'Service unavailable', 'unavailable', /repeated/],
])('%d %d %j is %s', (status, code, message, kind, advice) => {
  const error = errorOf(status, [{ code, message }]);
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(advice);
  expect(error.message).toContain(`answered ${status} (`);
  expect(error.message).toContain(message);
});

test.each([7000, 7003])('%d to the list of zones tells of a wrong endpoint, not of a zone', (code) => {
  const body = { success: false, errors: [{ code, message: 'No route for that URI' }] };
  const answer = { status: 400, headers: {}, body: new Uint8Array() };
  const { kind, message } = answerError(answer, body, { ...asked, ofZone: false }, now);
  expect(kind).toBe('invalid');
  expect(message).toMatch(/to the list of zones\. Check endpoint/);
});

test('a code behind a general one decides, and is the one that is kept', () => {
  const chain = [{ code: 6111, message: 'Invalid format for Authorization header' }];
  const { kind, details } = errorOf(400, [{ code: 6003, message: 'Invalid request headers', error_chain: chain }]);
  expect([kind, details.vendorCode]).toEqual(['auth', '6111']);
  const behind = errorOf(400, [
    { code: 1004, message: 'DNS Validation Error', error_chain: [{ code: 81058, message: '' }] },
  ]);
  expect(behind.kind).toBe('conflict');
});

test.each([
  [301, 'invalid', /Set endpoint/],
  [200, 'unavailable', /answered 200 something that is no answer of the API to the list of zones/],
  [403, 'permission', /something on the way refuses/],
  [502, 'unavailable', /answered 502 to the list/],
])('%d without an answer of the API is %s', (status, kind, message) => {
  const error = errorOf(status);
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(message);
});

test('a write whose end is not known was sent; one that was refused was not', () => {
  const sent = (status: number, isWrite: boolean) => errorOf(status, undefined, {}, isWrite).details.sent;
  expect([500, 502, 504, 524, 200].map((status) => sent(status, true))).toEqual([true, true, true, true, true]);
  expect([503, 429, 403, 400].map((status) => sent(status, true))).toEqual([false, false, false, false]);
  expect([500, 200].map((status) => sent(status, false))).toEqual([false, false]);
});

test.each<[headers: HttpAnswer['headers'], pauseMs: number | undefined]>([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': new Date(now + 60_000).toUTCString() }, 60_000],
  [{ ratelimit: '"default";r=0;t=42' }, 42_000],
  [{ ratelimit: '"default";r=0;t=42,"burst";r=0;t=90' }, 90_000],
  [{ ratelimit: '"default";r=5;t=42' }, undefined],
  [{}, undefined],
])('a 429 with %j', (headers, pauseMs) => {
  expect(errorOf(429, [], headers).details.retryAfterMs).toBe(pauseMs);
});

test("the vendor's words come on one line, and its ray id is kept", () => {
  const error = errorOf(400, [{ code: 1, message: 'a\nb<script>c</script>' }], { 'cf-ray': '8f0-FRA' });
  expect(error.message).toContain('(1 a b c)');
  expect(error.details).toMatchObject({ httpStatus: 400, vendorCode: '1', requestId: '8f0-FRA' });
});

test.each<unknown>([null, 'x', [], { errors: 'x' }, { errors: [null, 'x', { code: 'y' }] }])(
  'a body of an unexpected form: %j',
  (body) => {
    const answer = { status: 400, headers: {}, body: new Uint8Array() };
    expect(answerError(answer, body, asked, now).kind).toBe('invalid');
  },
);

test('what the docs show of errors is of one line', () => {
  expect(knownErrors.length).toBeGreaterThan(10);
  for (const { seen, advice } of knownErrors) expect(`${seen}${advice}`).not.toContain('\n');
});
