import type { HttpAnswer, ProviderErrorKind } from '@zoneproof/core';
import { answerError, readRefusal, table } from './errors.ts';

const now = Date.UTC(2026, 10, 21, 12);
const problems = 'https://problems.luna.akamaiapis.net';
const where = { what: 'the list of zones', at: 'fastdns "prod": akab-x', isWrite: false, now };

function answer(status: number, body: string | object, headers: HttpAnswer['headers'] = {}): HttpAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: Buffer.from(text) };
}

const problem = (status: number, type: string, detail: string) =>
  answer(status, { type: `${problems}/${type}`, title: 'Title', detail, status });

const rows: readonly (readonly [HttpAnswer, ProviderErrorKind, RegExp])[] = [
  [problem(400, '-/pep-authn/request-error', 'Invalid timestamp'), 'auth', /Invalid timestamp\. Set the clock/],
  [
    problem(400, '-/pep-authn/request-error', 'WAF deny rule IPBLOCK-BURST4-54013'),
    'rate-limited',
    /too many requests/,
  ],
  [problem(401, '-/pep-authn/deny', 'The signature does not match'), 'auth', /come from one API client/],
  [problem(401, '-/pep-authn/deny', 'Inactive client token'), 'auth', /make a new credential/],
  [problem(401, '-/pep-authn/deny', 'Invalid access token'), 'auth', /Check clientTokenSecretRef/],
  [problem(400, '-/pep-authn/request-error', 'Invalid authorization header'), 'auth', /Check clientTokenSecretRef/],
  [problem(403, '-/pep-authz/deny', 'The client does not have the grant needed'), 'permission', /READ-WRITE/],
  [answer(403, '<HTML><H1>Access Denied</H1></HTML>'), 'permission', /IP access list/],
  [problem(403, 'authoritative-dns/forbidden', "You don't have permission"), 'permission', /group of the zone/],
  [problem(404, 'authoritative-dns/notFound', "Unable to find change list for zone 'a.b'"), 'conflict', /made again/],
  [answer(404, '<html>no</html>'), 'unavailable', /check serviceConsumerDomain/],
  [problem(404, 'authoritative-dns/notFound', "Unable to find zone 'a.b'"), 'zone-not-found', /in this account/],
  [problem(409, 'authoritative-dns/concurrentZoneModification', 'Please try'), 'conflict', /Another change/],
  [problem(409, 'authoritative-dns/staleChangeList', 'stale'), 'conflict', /Somebody else/],
  [problem(429, 'authoritative-dns/rateLimitExceeded', 'Too many'), 'rate-limited', /asked again later/],
  [
    problem(400, 'authoritative-dns/badRequest', 'exceeds the maximum number of record sets'),
    'quota',
    /raise the limit/,
  ],
  [answer(302, ''), 'invalid', /does not redirect/],
  [answer(408, ''), 'unavailable', /asked again later/],
  [problem(400, 'authoritative-dns/badRequest', 'A CNAME record exists'), 'invalid', /A CNAME record exists\. The API/],
  [
    problem(503, 'authoritative-dns/serverError', 'An internal error occurred.'),
    'unavailable',
    /occurred\. It is asked/,
  ],
  [answer(102, ''), 'unavailable', /no answer of the API/],
];

test.each(rows)('%# %j', (one, kind, message) => {
  const error = answerError(one, where);
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/^fastdns "prod": akab-x answered \d+ to the list of zones/);
  expect(error.message).not.toMatch(/[\r\n<>]/);
  expect(error.details.httpStatus).toBe(one.status);
});

test('every row of the table is met', () => {
  const advice = rows.map(([one]) => answerError(one, where).message);
  for (const [status, , , kind, text] of table)
    expect([status, kind, advice.some((message) => message.endsWith(text))]).toEqual([status, kind, true]);
});

test('a page of the edge is told by its reference number alone', () => {
  const page =
    '<HTML><HEAD>\n<TITLE>Service Unavailable</TITLE>\n</HEAD><BODY>\nsecret\n<P>\nReference&#32;&#35;18&#46;2f1c1002&#46;1732190400&#46;1a2b3c\n</BODY></HTML>';
  const error = answerError(answer(503, page, { 'content-type': 'text/html' }), where);
  expect(error.details).toMatchObject({ requestId: '18.2f1c1002.1732190400.1a2b3c', vendorCode: 'html' });
  expect(error.message).not.toContain('secret');
});

test('the request id is that of the gateway, or of the API', () => {
  expect(readRefusal(answer(401, { requestId: '1abcde2', instance: 'x' })).requestId).toBe('1abcde2');
  expect(readRefusal(answer(500, { problemId: '29aa48de-ec7d' })).requestId).toBe('29aa48de-ec7d');
  expect(readRefusal(answer(500, { instance: 'https://akab-x/with a url' })).requestId).toBeUndefined();
});

test.each<[HttpAnswer['headers'], number | undefined]>([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'x-ratelimit-next': '2026-11-21T12:00:09Z' }, 9_000],
  [{ 'retry-after': '3', 'x-ratelimit-next': '2026-11-21T12:00:09Z' }, 3_000],
  [{ 'x-ratelimit-next': 'soon' }, undefined],
  [{}, undefined],
])('429 with %j pauses for %s ms', (headers, ms) => {
  expect(answerError(answer(429, '', headers), where).details.retryAfterMs).toBe(ms);
});

test('a clock that is off is told by how much', () => {
  const date = new Date(now - 312_000).toUTCString();
  const { body } = problem(400, '-/pep-authn/request-error', 'Invalid timestamp');
  const { message } = answerError({ status: 400, headers: { date }, body }, where);
  expect(message).toContain("The clock of this machine is 5 min ahead of Akamai's.");
});

test.each([
  [500, true, true],
  [502, true, true],
  [504, true, true],
  [503, true, false],
  [409, true, false],
  [504, false, false],
])('%d to a write (%s) leaves open whether it was done: %s', (status, isWrite, sent) => {
  expect(answerError(answer(status, ''), { ...where, isWrite }).details.sent).toBe(sent);
});
