import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiRequest } from '../emulator/index.ts';
import { Refusal } from './refusal.ts';

/** What a signature is checked against. */
export interface SigningKey {
  readonly secretAccessKey: string;
  /** Of a session; then the request has to carry it. */
  readonly sessionToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
}

export interface SignatureOptions {
  readonly service: 'route53' | 'sts';
  /** The region of the credential scope; any when left out. */
  readonly region?: string;
  /** Epoch milliseconds. */
  readonly now: number;
  keyOf(accessKeyId: string): SigningKey | undefined;
}

const toleranceMs = 5 * 60_000;
const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Recomputes the signature over what was sent.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * @returns the access key id that signed
 * @throws Refusal in AWS's words
 */
export function verifySignature(request: ApiRequest, options: SignatureOptions): string {
  const { headers } = request;
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (found === null) throw new Refusal(403, 'MissingAuthenticationToken', 'Missing Authentication Token');
  const [, accessKeyId = '', date = '', region = '', service = '', signed = '', signature = ''] = found;

  const key = options.keyOf(accessKeyId);
  if (key === undefined || (key.sessionToken ?? '') !== (headers['x-amz-security-token'] ?? ''))
    throw new Refusal(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
  if (key.expiresAt !== undefined && key.expiresAt <= options.now)
    throw new Refusal(403, 'ExpiredToken', 'The security token included in the request is expired');

  if (service !== options.service)
    throw mismatch(`Credential should be scoped to correct service: '${options.service}'.`);
  if (options.region !== undefined && region !== options.region)
    throw mismatch(`Credential should be scoped to a valid region, not '${region}'. `);

  const amzDate = headers['x-amz-date'] ?? '';
  checkTime(amzDate, options.now);
  const names = signed.split(';');
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html: host and every x-amz- header
  const unsigned = Object.keys(headers).find(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !names.includes(name),
  );
  if (unsigned !== undefined) throw mismatch(`'${unsigned}' must be a 'SignedHeader' in the AWS Authorization.`);

  const payload = createHash('sha256').update(request.body).digest('hex');
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    signed,
    payload,
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [algorithm, amzDate, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const signingKey = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${key.secretAccessKey}`,
  );
  const expected = createHmac('sha256', signingKey).update(toSign).digest();
  if (!amzDate.startsWith(date) || !timingSafeEqual(expected, Buffer.from(signature, 'hex')))
    throw mismatch(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    );
  return accessKeyId;
}

/** The words as users quote them: https://github.com/crazy-max/ddns-route53/issues/40, https://github.com/kubernetes-sigs/external-dns/issues/1626 */
function checkTime(amzDate: string, now: number): void {
  const at = Date.parse(amzDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(at)) throw mismatch(`Date must be in ISO-8601 'basic format'. Got '${amzDate}'.`);
  if (at < now - toleranceMs)
    throw mismatch(
      `Signature expired: ${amzDate} is now earlier than ${basic(now - toleranceMs)} (${basic(now)} - 5 min.)`,
    );
  if (at > now + toleranceMs)
    throw mismatch(
      `Signature not yet current: ${amzDate} is still later than ${basic(now + toleranceMs)} (${basic(now)} + 5 min.)`,
    );
}

function mismatch(message: string): Refusal {
  return new Refusal(403, 'SignatureDoesNotMatch', message);
}

function basic(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
