import { DnsExchangeError, type HttpsServer, type TransportCall } from '@zoneproof/dns';
import { toDnsError } from './dns-errors.ts';
import { type HttpAnswer, type HttpRequest, isEgressError } from './egress.ts';

const mediaType = 'application/dns-message';
/** The longest message there is. */
const maxBytes = 65_535;

/**
 * One query by POST (RFC 8484 4.1), its answer checked: status 200, media type, size. A redirect is not followed.
 *
 * @throws DnsExchangeError
 */
export async function askOverHttps(
  http: (request: HttpRequest) => Promise<HttpAnswer>,
  server: HttpsServer,
  query: Uint8Array,
  { timeoutMs, signal }: TransportCall,
): Promise<Uint8Array> {
  const headers = { accept: mediaType, 'content-type': mediaType };
  const request = { method: 'POST', url: server.url, headers, body: query, timeoutMs, signal, maxBytes } as const;
  const answer = await http(request).catch((error: unknown) => {
    throw isEgressError(error) ? toDnsError(error, server) : error;
  });
  const problem = problemOf(answer);
  if (problem !== undefined) throw new DnsExchangeError('malformed', server, 'https', problem, { sent: true });
  return answer.body;
}

function problemOf({ status, headers, body }: HttpAnswer): string | undefined {
  if (status === 429 || status >= 500) return `it answers HTTP ${status}`;
  if (status !== 200) return `it answers HTTP ${status}; check the path of the URL, which is often /dns-query`;
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  if (type !== mediaType)
    return `it answers ${printable(type) || 'without a media type'} instead of ${mediaType}: no resolver at this URL`;
  return body.length === 0 ? 'it answers an empty body' : undefined;
}

function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
}
