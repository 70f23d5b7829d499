import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from '../emulator/index.ts';

/** Credentials of an API client. Clients of one `user` share that user's change lists. */
export interface EdgeGridClient {
  readonly user: string;
  readonly clientToken: string;
  readonly clientSecret: string;
  readonly accessToken: string;
}

/** Why a request is refused: `request-error` is a 400, `deny` a 401. */
export interface EdgeGridRefusal {
  readonly type: 'pep-authn/deny' | 'pep-authn/request-error';
  readonly detail: string;
}

/** "the ±30 second window": https://github.com/akamai/terraform-provider-akamai/issues/758 */
const toleranceMs = 30_000;
/** max-body of https://techdocs.akamai.com/developer/docs/authenticate-with-edgegrid */
const maxBody = 131_072;
const form =
  /^EG1-HMAC-SHA256 client_token=([^;]+);access_token=([^;]+);timestamp=(\d{4})(\d\d)(\d\d)T(\d\d:\d\d:\d\d)\+0000;nonce=([^;]+);signature=([^;]+)$/;

/**
 * Verifies the Authorization header of a request, made anew from what arrived:
 * https://techdocs.akamai.com/developer/docs/authenticate-with-edgegrid. `nonces` are those seen before.
 */
export function verifyEdgeGrid(
  request: ApiRequest,
  clients: readonly EdgeGridClient[],
  now: number,
  nonces: Set<string>,
): EdgeGridClient | EdgeGridRefusal {
  const header = request.headers.authorization ?? '';
  const parts = form.exec(header);
  // assumed: the words for a missing header, an unknown token and a replayed nonce.
  if (parts === null) return { type: 'pep-authn/request-error', detail: 'Invalid authorization header' };
  const [, clientToken, accessToken, year, month, day, time, nonce = '', signature = ''] = parts;
  const client = clients.find((one) => one.clientToken === clientToken);
  // https://techdocs.akamai.com/client-access-control/reference/401
  if (client === undefined) return { type: 'pep-authn/deny', detail: 'Inactive client token' };
  if (client.accessToken !== accessToken) return { type: 'pep-authn/deny', detail: 'Invalid access token' };
  // https://github.com/akamai/AkamaiOPEN-edgegrid-node/issues/234
  const sentAt = Date.parse(`${year}-${month}-${day}T${time}Z`);
  if (!(Math.abs(sentAt - now) <= toleranceMs)) return { type: 'pep-authn/request-error', detail: 'Invalid timestamp' };
  const unsigned = header.slice(0, header.lastIndexOf('signature='));
  const expected = signatureOf(request, unsigned, `${year}${month}${day}T${time}+0000`, client.clientSecret);
  if (!isSame(signature, expected)) return { type: 'pep-authn/deny', detail: 'The signature does not match' };
  if (nonces.has(nonce)) return { type: 'pep-authn/request-error', detail: 'Invalid nonce' };
  nonces.add(nonce);
  return client;
}

function signatureOf(request: ApiRequest, unsigned: string, timestamp: string, secret: string): string {
  const { method, target, headers, body } = request;
  const content = method === 'POST' && body.length > 0 ? sha256(body.subarray(0, maxBody)) : '';
  const signed = [method, 'https', headers.host ?? '', target, '', content, unsigned].join('\t');
  return hmac(hmac(secret, timestamp), signed);
}

const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('base64');
const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64');
const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
