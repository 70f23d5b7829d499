import { EgressError, type EgressErrorKind } from './egress.ts';

/** What a failed request was about; never holds a query string or credentials. */
export interface RequestLabel {
  /** `POST https://acme.example/new-order`. */
  readonly what: string;
  readonly host: string;
  readonly proxy: string | undefined;
  /** What to do about a CA that is not trusted; by default: name it in caBundle. */
  readonly unknownCaRemedy?: string | undefined;
}

type Row = readonly [
  code: string | RegExp,
  kind: EgressErrorKind,
  text: (host: string, unknownCaRemedy: string) => string,
];

// Codes of libuv, OpenSSL, Node's TLS and undici; the first match wins.
const table: readonly Row[] = [
  ['ZONEPROOF_ADDRESS_DENIED', 'denied', (host) => `${host} may not be connected to`],
  ['ECONNREFUSED', 'refused', (host) => `${host} refuses connections; check that the service runs there`],
  ['ENOTFOUND', 'name-not-found', (host) => `the name ${host} does not exist in the DNS; check its spelling`],
  ['EAI_AGAIN', 'unreachable', (host) => `the name ${host} could not be resolved just now`],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/,
    'unreachable',
    (host) => `no way to ${host} from here`,
  ],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout', (host) => `${host} did not accept a connection in time`],
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, 'timeout', (host) => `${host} stopped answering`],
  [
    /^UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW)$/,
    'too-large',
    (host) => `the answer of ${host} is larger than is read`,
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    'tls',
    (host, remedy) => `the certificate of ${host} is not signed by a CA known here; ${remedy}`,
  ],
  ['CERT_HAS_EXPIRED', 'tls', (host) => `the certificate of ${host} has expired (or the clock here is wrong)`],
  ['CERT_NOT_YET_VALID', 'tls', (host) => `the certificate of ${host} is not valid yet (or the clock here is wrong)`],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', (host) => `the certificate of ${host} is for other names`],
  [/^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|ERR_OSSL)/, 'tls', (host) => `no TLS connection with ${host}`],
  [/^(HPE_|HTTPParserError$)/, 'reset', (host) => `${host} does not answer in HTTP`],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'aborted', () => 'the egress was closed'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'reset',
    (host) => `${host} closed the connection before its answer was whole`,
  ],
];

/** Tells by its code what went wrong in undici, Node or OpenSSL. */
export function toEgressError(error: unknown, label: RequestLabel, sent: boolean): EgressError {
  if (error instanceof EgressError) return error;
  const { code, message } = detailsOf(error);
  const row = table.find(([known]) => (typeof known === 'string' ? known === code : known.test(code)));
  const [, kind, text] = row ?? ['', 'unreachable' as const, (host: string) => `no answer from ${host}`];
  const about = text(label.host, label.unknownCaRemedy ?? 'name its CA in caBundle');
  const because = row === undefined || kind === 'denied' || about.startsWith('no ') ? ` (${code || message})` : '';
  const through = label.proxy === undefined ? '' : `, through the proxy ${label.proxy}`;
  const told = kind === 'denied' ? message : `${about}${because}`;
  return new EgressError(kind, `${label.what}: ${told}${through}`, sent, error);
}

/** A proxy that says no to a tunnel: the target was never reached. */
export function proxyRefusal(status: number, label: RequestLabel, cause: unknown): EgressError {
  const why = status === 407 ? 'asks for a user and password; put them into the proxy URL' : `answered ${status}`;
  return new EgressError('refused', `${label.what}: the proxy ${label.proxy} ${why}`, false, cause);
}

/** Several addresses were tried: the first failure speaks for all. */
function detailsOf(error: unknown): { code: string; message: string } {
  const first = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  const { code, name, message } = (first ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  const known = [code, name].find((one) => typeof one === 'string' && one !== 'Error');
  return { code: String(known ?? ''), message: typeof message === 'string' ? message : 'no reason given' };
}
