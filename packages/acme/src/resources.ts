import { AcmeProtocolError } from './errors.ts';
import { asInstant, asObject, asString, asStrings } from './json.ts';
import { isUrl } from './link.ts';
import { type Problem, parseProblem } from './problem.ts';

/** An ACME account (RFC 8555 7.1.2). Contacts are left out: CAs need not keep or return them. */
export interface Account {
  readonly url: string;
  readonly status: 'valid' | 'deactivated' | 'revoked';
  /** True when this very request made it (201), false when it was there (200). */
  readonly created: boolean;
  /** The terms in force, from the directory or the answer. */
  readonly termsOfService?: string;
}

export interface Identifier {
  readonly type: string;
  readonly value: string;
}

const orderStatuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** An order without its URL, which answers need not repeat (RFC 8555 7.4). Instants are epoch milliseconds. */
export interface OrderState {
  /**
   * pending     work on the authorizations that are not valid
   * ready       finalize
   * processing  read again after `retryAfterMs`
   * valid       download `certificateUrl`
   * invalid     lost: `error` says why; order again
   */
  readonly status: OrderStatus;
  readonly expires?: number;
  readonly identifiers: readonly Identifier[];
  /** In no order that means anything, and not one for each identifier. */
  readonly authorizationUrls: readonly string[];
  readonly finalizeUrl: string;
  readonly certificateUrl?: string;
  readonly profile?: string;
  readonly error?: Problem;
  readonly retryAfterMs?: number;
}

export interface AcmeOrder extends OrderState {
  readonly url: string;
}

const authorizationStatuses = ['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked'] as const;
export type AuthorizationStatus = (typeof authorizationStatuses)[number];

/** Permission to issue for one identifier; it may be shared with other orders of the account (RFC 8555 7.1.4). */
export interface Authorization {
  readonly url: string;
  readonly status: AuthorizationStatus;
  /** Its value never starts with `*.`; `wildcard` tells. Match by both, not by position. */
  readonly identifier: Identifier;
  readonly wildcard: boolean;
  /** Epoch milliseconds. A pending one can be worked on until then. */
  readonly expires?: number;
  readonly challenges: readonly Challenge[];
  readonly retryAfterMs?: number;
}

const challengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const;
export type ChallengeStatus = (typeof challengeStatuses)[number];

export interface Challenge {
  /** Any text: `dns-01`, but also types this client does not know. */
  readonly type: string;
  readonly url: string;
  readonly status: ChallengeStatus;
  /** base64url; types other than dns-01 may have none. */
  readonly token?: string;
  readonly error?: Problem;
}

export interface CertificateChain {
  /** Leaf first, nothing but CERTIFICATE blocks. */
  readonly pemChain: string;
  /** URLs of the same certificate under other roots (`Link rel="alternate"`, RFC 8555 7.4.2). */
  readonly alternates: readonly string[];
}

/** @throws AcmeProtocolError */
export function parseAccountStatus(body: unknown, url: string): Account['status'] {
  const status = asString(asObject(body)?.status);
  // Some CAs leave it out when the account is in order.
  if (status === undefined || status === 'valid') return 'valid';
  if (status === 'deactivated' || status === 'revoked') return status;
  throw malformed(url, 'an account', 'status');
}

/** @throws AcmeProtocolError */
export function parseOrder(body: unknown, url: string, retryAfterMs: number | undefined): OrderState {
  const document = asObject(body) ?? {};
  const status = orderStatuses.find((known) => known === document.status);
  const authorizationUrls = asStrings(document.authorizations);
  const finalizeUrl = asUrl(document.finalize);
  const certificateUrl = asUrl(document.certificate);
  const profile = asString(document.profile);
  const expires = asInstant(document.expires);
  if (!status) throw malformed(url, 'an order', 'status');
  if (!authorizationUrls?.every((each) => isUrl(each))) throw malformed(url, 'an order', 'authorizations');
  if (authorizationUrls.length > maxAuthorizations)
    throw new AcmeProtocolError(
      url,
      `${url} answered with an order of ${authorizationUrls.length} authorizations, more than any order needs.`,
    );
  if (finalizeUrl === undefined) throw malformed(url, 'an order', 'finalize');
  if (status === 'valid' && certificateUrl === undefined) throw malformed(url, 'a valid order', 'certificate');
  return {
    status,
    ...(expires !== undefined && { expires }),
    identifiers: (Array.isArray(document.identifiers) ? document.identifiers : []).flatMap((each) => {
      const identifier = parseIdentifier(each);
      return identifier ? [identifier] : [];
    }),
    authorizationUrls,
    finalizeUrl,
    ...(certificateUrl !== undefined && { certificateUrl }),
    ...(profile !== undefined && { profile }),
    ...(asObject(document.error) && { error: parseProblem(document.error) }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** @throws AcmeProtocolError */
export function parseAuthorization(body: unknown, url: string, retryAfterMs: number | undefined): Authorization {
  const document = asObject(body) ?? {};
  const status = authorizationStatuses.find((known) => known === document.status);
  const identifier = parseIdentifier(document.identifier);
  const expires = asInstant(document.expires);
  if (!status) throw malformed(url, 'an authorization', 'status');
  if (!identifier) throw malformed(url, 'an authorization', 'identifier');
  const prefixed = identifier.value.startsWith('*.');
  return {
    url,
    status,
    identifier: prefixed ? { ...identifier, value: identifier.value.slice(2) } : identifier,
    wildcard: document.wildcard === true || prefixed,
    ...(expires !== undefined && { expires }),
    challenges: (Array.isArray(document.challenges) ? document.challenges : []).flatMap(parseChallenge),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Challenges of types yet to be invented come in any form: what cannot be answered is left out, never an error. */
function parseChallenge(body: unknown): Challenge[] {
  const document = asObject(body) ?? {};
  const type = asString(document.type);
  const url = asUrl(document.url);
  const status = challengeStatuses.find((known) => known === (document.status ?? 'pending'));
  if (type === undefined || url === undefined || !status) return [];
  const token = asString(document.token);
  return [
    {
      type,
      url,
      status,
      ...(token !== undefined && /^[A-Za-z0-9_-]+$/.test(token) && { token }),
      ...(asObject(document.error) && { error: parseProblem(document.error) }),
    },
  ];
}

/** One for each name; CAs allow 100 names. */
const maxAuthorizations = 200;

function asUrl(value: unknown): string | undefined {
  const text = asString(value);
  return text !== undefined && isUrl(text) ? text : undefined;
}

function parseIdentifier(body: unknown): Identifier | undefined {
  const document = asObject(body);
  const type = asString(document?.type);
  const value = asString(document?.value)?.toLowerCase();
  return type === undefined || value === undefined ? undefined : { type, value };
}

function malformed(url: string, what: string, member: string): AcmeProtocolError {
  return new AcmeProtocolError(url, `${url} answered with ${what} whose "${member}" is missing or malformed.`);
}
