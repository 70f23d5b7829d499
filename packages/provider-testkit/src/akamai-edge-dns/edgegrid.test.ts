import type { ApiRequest } from '../emulator/index.ts';
import { type EdgeGridClient, verifyEdgeGrid } from './edgegrid.ts';

// Vectors of the vendor: test/test_data.json of akamai-edgegrid (Apache-2.0).
const host = 'akaa-baseurl-xxxxxxxxxxx-xxxxxxxxxxxxx.luna.akamaiapis.net';
const client: EdgeGridClient = {
  user: 'jsmith',
  clientToken: 'akab-client-token-xxx-xxxxxxxxxxxxxxxx',
  clientSecret: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=',
  accessToken: 'akab-access-token-xxx-xxxxxxxxxxxxxxxx',
};
const unsigned = `EG1-HMAC-SHA256 client_token=${client.clientToken};access_token=${client.accessToken};timestamp=20140321T19:34:21+0000;nonce=nonce-xx-xxxx-xxxx-xxxx-xxxxxxxxxxxx;`;
const signedAt = Date.UTC(2014, 2, 21, 19, 34, 21);

function request(method: string, target: string, signature: string, body = ''): ApiRequest {
  const headers = { host, authorization: `${unsigned}signature=${signature}` };
  return { method, target, path: target, query: new URLSearchParams(), headers, body: Buffer.from(body) };
}

const verify = (one: ApiRequest, now = signedAt) => verifyEdgeGrid(one, [client], now, new Set());

test.each([
  ['GET', '/', 'tL+y4hxyHxgWVD30X3pWnGKHcPzmrIF+LThiAOhMxYU=', ''],
  ['GET', '/testapi/v1/t1?p1=1&p2=2', 'hKDH1UlnQySSHjvIcZpDMbQHihTQ0XyVAKZaApabdeA=', ''],
  ['POST', '/testapi/v1/t3', 'hXm4iCxtpN22m4cbZb4lVLW5rhX8Ca82vCFqXzSTPe4=', 'datadatadatadatadatadatadatadata'],
  ['POST', '/testapi/v1/t6', '1gEDxeQGD5GovIkJJGcBaKnZ+VaPtrc4qBUHixjsPCQ=', ''],
  ['PUT', '/testapi/v1/t6', 'GNBWEYSEWOLtu+7dD52da2C39aX/Jchpon3K/AmBqBU=', 'P'.repeat(31)],
])('the vector %s %s of the vendor verifies', (method, target, signature, body) => {
  expect(verify(request(method, target, signature, body))).toBe(client);
});

const good = request('GET', '/', 'tL+y4hxyHxgWVD30X3pWnGKHcPzmrIF+LThiAOhMxYU=');
const changed = (change: (header: string) => string): ApiRequest => ({
  ...good,
  headers: { ...good.headers, authorization: change(good.headers.authorization as string) },
});

test.each<[string, ApiRequest, string]>([
  [
    'a flipped octet of the signature',
    changed((header) => header.replace('tL+y', 'tL+z')),
    'The signature does not match',
  ],
  ['another path', { ...good, target: '/other' }, 'The signature does not match'],
  ['another method', { ...good, method: 'DELETE' }, 'The signature does not match'],
  ['another host', { ...good, headers: { ...good.headers, host: 'akab-other' } }, 'The signature does not match'],
  ['another nonce', changed((header) => header.replace('nonce-xx', 'nonce-xy')), 'The signature does not match'],
  ['an unknown client', changed((header) => header.replace('client-token', 'client-tokem')), 'Inactive client token'],
  ['another access token', changed((header) => header.replace('access-token', 'access-tokem')), 'Invalid access token'],
  ['no header', changed(() => ''), 'Invalid authorization header'],
  ['an RFC 3339 time', changed((header) => header.replace('20140321T', '2014-03-21T')), 'Invalid authorization header'],
])('%s is refused', (_title, one, detail) => {
  expect(verify(one)).toMatchObject({ detail });
});

test.each([
  [30_000, true],
  [-30_000, true],
  [31_000, false],
  [-31_000, false],
])('a clock that is %d ms ahead is accepted: %s', (offset, accepted) => {
  const result = verify(good, signedAt + offset);
  expect('detail' in result ? result.detail : 'accepted').toBe(accepted ? 'accepted' : 'Invalid timestamp');
});

test('of a longer body only the first 131,072 octets count, and one of them does', () => {
  // Signed with the vendor's package for a body of 131,072 times "d".
  const signature = 'NfvzHwqMZcQc4Z0tQE5bnKN0Z1c4WDw0rFfVM2AyrmY=';
  const of = (body: string) => verify(request('POST', '/testapi/v1/t3', signature, body));
  expect(of('d'.repeat(131_072))).toBe(client);
  expect(of(`${'d'.repeat(131_072)}tail`)).toBe(client);
  expect(of(`x${'d'.repeat(131_071)}`)).toMatchObject({ detail: 'The signature does not match' });
});

test('a request is taken once', () => {
  const nonces = new Set<string>();
  expect(verifyEdgeGrid(good, [client], signedAt, nonces)).toBe(client);
  expect(verifyEdgeGrid(good, [client], signedAt, nonces)).toMatchObject({ detail: 'Invalid nonce' });
});
