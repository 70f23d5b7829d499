import { createHash, createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { signRequest } from './edgegrid.ts';

const require = createRequire(import.meta.url);
const sdk = require.resolve('akamai-edgegrid');
const credentials = { clientToken: 'akab-client', clientSecret: 'c2VjcmV0', accessToken: 'akab-access' };
const host = {
  clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
  random: (length: number) => new Uint8Array(length).fill(7),
};

test('time and nonce are those of the host, and the signature is that of the specification', () => {
  // A value at which the package would fail to load, and one at which it would log the signing key.
  process.env.AKAMAI_LOG_LEVEL = 'nonsense';
  process.env.AKAMAI_LOG_PRETTY = 'true';
  const body = '{"recordsets":[]}';
  const { url, authorization } = signRequest(
    { method: 'POST', path: '/config-dns/v2/zones/example.com/recordsets?accountSwitchKey=1%3A2', body },
    'https://akab-x.luna.akamaiapis.net:8443',
    credentials,
    host,
  );
  expect([process.env.AKAMAI_LOG_LEVEL, process.env.AKAMAI_LOG_PRETTY]).toEqual(['nonsense', 'true']);
  delete process.env.AKAMAI_LOG_LEVEL;
  delete process.env.AKAMAI_LOG_PRETTY;

  const path = '/config-dns/v2/zones/example.com/recordsets?accountSwitchKey=1%3A2';
  expect(url).toBe(`https://akab-x.luna.akamaiapis.net:8443${path}`);
  const timestamp = '20260102T03:04:05+0000';
  const unsigned = `EG1-HMAC-SHA256 client_token=akab-client;access_token=akab-access;timestamp=${timestamp};nonce=07070707-0707-4707-8707-070707070707;`;
  const hash = createHash('sha256').update(body).digest('base64');
  const key = createHmac('sha256', credentials.clientSecret).update(timestamp).digest('base64');
  const data = ['POST', 'https', 'akab-x.luna.akamaiapis.net:8443', path, '', hash, unsigned].join('\t');
  expect(authorization).toBe(`${unsigned}signature=${createHmac('sha256', key).update(data).digest('base64')}`);
});

test('signing leaves the global axios alone, which a client of the package does not', () => {
  const axios = createRequire(sdk)('axios') as {
    interceptors: Record<'request' | 'response', { handlers: unknown[] }>;
  };
  const interceptors = () => axios.interceptors.request.handlers.length + axios.interceptors.response.handlers.length;
  const before = interceptors();
  signRequest({ method: 'GET', path: '/' }, 'https://akab-x.luna.akamaiapis.net', credentials, host);
  expect(interceptors()).toBe(before);
  const EdgeGrid = require('akamai-edgegrid') as new (...tokens: string[]) => unknown;
  new EdgeGrid('a', 'b', 'c', 'akab-x.luna.akamaiapis.net');
  expect(interceptors()).toBe(before + 2);
});
