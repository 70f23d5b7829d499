import { type HttpAnswer, headerValue, headerValues } from './http.ts';
import { asObject, asString } from './json.ts';
import { linkTargets } from './link.ts';
import { parseRetryAfter } from './retry-after.ts';

/**
 * What a problem asks of the caller:
 *
 * retry         again with backoff; an order that is not ready: read it again first
 * retry-after   again once `retryAfterMs` has passed
 * new-order     this order or authorization is lost; order again with backoff
 * register      the CA does not know the account (any more): ensureAccount
 * fix-spec      the request is wrong and stays so until its configuration changes
 * needs-human   somebody has to act outside: agree to new terms, unpause a name, change CAA, look at the account
 */
export type Disposition = 'retry' | 'retry-after' | 'new-order' | 'register' | 'fix-spec' | 'needs-human';

/** One name's part of a problem (RFC 8555 6.7.1). */
export interface Subproblem {
  readonly type: string;
  readonly detail: string;
  /** The name it is about, as ordered. */
  readonly identifier?: string;
}

/** A problem document (RFC 7807, RFC 8555 6.7), also found in failed challenges and orders. */
export interface Problem {
  /** `rateLimited` for `urn:ietf:params:acme:error:rateLimited`; other types in full, `about:blank` where none. */
  readonly type: string;
  /** The CA's words: one line of at most 1 KiB. */
  readonly detail: string;
  readonly subproblems: readonly Subproblem[];
  readonly disposition: Disposition;
}

/** The CA refused a request with a problem document. */
export class AcmeProblem extends Error implements Problem {
  readonly type: string;
  readonly detail: string;
  readonly subproblems: readonly Subproblem[];
  readonly disposition: Disposition;
  readonly httpStatus: number;
  declare readonly retryAfterMs?: number;
  /** `Link rel="help"`: where the CA explains a limit. */
  declare readonly helpUrl?: string;
  /** Where a person has to go (userActionRequired, RFC 8555 7.3.3). */
  declare readonly instance?: string;
  /** `Link rel="terms-of-service"`: the terms to agree to. */
  declare readonly termsOfService?: string;

  constructor(problem: Problem, http: ProblemHttp) {
    super(describe(problem, http));
    this.name = 'AcmeProblem';
    this.type = problem.type;
    this.detail = problem.detail;
    this.subproblems = problem.subproblems;
    this.disposition = problem.disposition;
    this.httpStatus = http.httpStatus;
    if (http.retryAfterMs !== undefined) this.retryAfterMs = http.retryAfterMs;
    if (http.helpUrl !== undefined) this.helpUrl = http.helpUrl;
    if (http.instance !== undefined) this.instance = http.instance;
    if (http.termsOfService !== undefined) this.termsOfService = http.termsOfService;
  }
}

interface ProblemHttp {
  readonly httpStatus: number;
  readonly retryAfterMs?: number | undefined;
  readonly helpUrl?: string | undefined;
  readonly instance?: string | undefined;
  readonly termsOfService?: string | undefined;
}

/** The problem of an answer, or undefined when its body is no problem document. */
export function problemOf(answer: HttpAnswer, body: unknown, url: string, now: number): AcmeProblem | undefined {
  const document = asObject(body);
  if (!document) return undefined;
  const retryAfterMs = parseRetryAfter(headerValue(answer, 'retry-after'), now);
  const links = headerValues(answer, 'link');
  const instance = asString(document.instance);
  return new AcmeProblem(parseProblem(document, answer.status, retryAfterMs), {
    httpStatus: answer.status,
    retryAfterMs,
    helpUrl: linkTargets(links, 'help', url)[0],
    instance: instance === undefined ? undefined : oneLine(instance),
    termsOfService: linkTargets(links, 'terms-of-service', url)[0],
  });
}

/**
 * A problem from its JSON. Never throws: what is missing or of the wrong type is left out.
 * @param httpStatus of the answer whose body it is; absent for the `error` of a challenge or an order
 */
export function parseProblem(body: unknown, httpStatus?: number, retryAfterMs?: number): Problem {
  const document = asObject(body) ?? {};
  const type = shortType(document.type);
  const subproblems = (Array.isArray(document.subproblems) ? document.subproblems : [])
    .slice(0, maxSubproblems)
    .flatMap(parseSubproblem);
  return {
    type,
    detail: oneLine(asString(document.detail) ?? asString(document.title) ?? ''),
    subproblems,
    disposition: disposition(type, subproblems, httpStatus, retryAfterMs),
  };
}

const maxSubproblems = 200;
const maxDetail = 1024;
const maxType = 128;
const acmeUrn = 'urn:ietf:params:acme:error:';

function shortType(type: unknown): string {
  const text = oneLine(asString(type) ?? 'about:blank', maxType);
  return text.startsWith(acmeUrn) ? text.slice(acmeUrn.length) : text;
}

function parseSubproblem(body: unknown): Subproblem[] {
  const document = asObject(body);
  if (!document) return [];
  const identifier = asString(asObject(document.identifier)?.value);
  return [
    {
      type: shortType(document.type),
      detail: oneLine(asString(document.detail) ?? ''),
      ...(identifier !== undefined && { identifier: oneLine(identifier) }),
    },
  ];
}

/** Text of the CA goes into conditions and terminals: no control characters, no line ends, no novels. */
export function oneLine(text: string, maxLength = maxDetail): string {
  // Cc: controls; Cf: among others the marks that turn the direction of text; Zl, Zp: line ends.
  const flat = text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 3)}...`;
}

const byType: Readonly<Record<string, Disposition>> = {
  accountDoesNotExist: 'register',
  alreadyReplaced: 'new-order',
  badCSR: 'fix-spec', // the order stays ready: finalize again with a better CSR
  badNonce: 'retry',
  badPublicKey: 'fix-spec',
  badSignatureAlgorithm: 'fix-spec',
  caa: 'needs-human',
  connection: 'new-order',
  dns: 'new-order',
  externalAccountRequired: 'fix-spec',
  incorrectResponse: 'new-order',
  invalidContact: 'fix-spec',
  invalidProfile: 'fix-spec',
  orderNotReady: 'retry',
  rejectedIdentifier: 'fix-spec',
  serverInternal: 'retry',
  tls: 'new-order',
  unsupportedContact: 'fix-spec',
  unsupportedIdentifier: 'fix-spec',
  userActionRequired: 'needs-human',
};

/** From most to least final: a compound problem is as bad as its worst part. */
const severity: readonly Disposition[] = ['fix-spec', 'needs-human', 'register', 'new-order', 'retry-after', 'retry'];

function disposition(
  type: string,
  subproblems: readonly Subproblem[],
  httpStatus: number | undefined,
  retryAfterMs: number | undefined,
): Disposition {
  if (type === 'rateLimited' || httpStatus === 429) {
    // Let's Encrypt reports a paused name as rateLimited without Retry-After and with a link that unpauses it.
    return retryAfterMs === undefined ? 'needs-human' : 'retry-after';
  }
  if (type === 'compound' && subproblems.length > 0) {
    const parts = subproblems.map((part) => disposition(part.type, [], httpStatus, retryAfterMs));
    return severity.find((candidate) => parts.includes(candidate))!;
  }
  const known = Object.hasOwn(byType, type) ? byType[type]! : byStatus(type, httpStatus);
  return known === 'retry' && retryAfterMs !== undefined ? 'retry-after' : known;
}

function byStatus(type: string, httpStatus: number | undefined): Disposition {
  // In a challenge or an order: validation failed, e.g. `unauthorized` is a wrong TXT value.
  if (httpStatus === undefined) return 'new-order';
  if (httpStatus >= 500 || httpStatus === 408) return 'retry';
  // Of a request: the account is deactivated or revoked, or the object belongs to another one (RFC 8555 7.3.6).
  if (type === 'unauthorized' || httpStatus === 401 || httpStatus === 403) return 'needs-human';
  if (httpStatus === 404) return 'new-order';
  if (httpStatus === 409) return 'retry';
  return 'fix-spec';
}

const maxNamesShown = 5;
/** Of each name's part; the whole of it is in `subproblems`. */
const maxPartShown = 200;

function describe(problem: Problem, http: ProblemHttp): string {
  const parts = problem.subproblems
    .slice(0, maxNamesShown)
    .map(({ identifier, type, detail }) => oneLine(`${identifier ?? 'some name'}: ${detail || type}`, maxPartShown));
  const more = problem.subproblems.length - parts.length;
  return [
    `The CA refused (${problem.type}, HTTP ${http.httpStatus}): ${problem.detail || 'no detail given'}`,
    ...(parts.length > 0 ? [`[${parts.join('; ')}${more > 0 ? `; and ${more} more` : ''}]`] : []),
    ...(http.retryAfterMs === undefined ? [] : [`Retry-After ${Math.ceil(http.retryAfterMs / 1000)} s.`]),
    ...(http.instance === undefined ? [] : [`To act: ${http.instance}`]),
    ...(http.termsOfService === undefined || problem.type !== 'userActionRequired'
      ? []
      : [`Terms of service: ${http.termsOfService}`]),
    ...(http.helpUrl === undefined ? [] : [`See ${http.helpUrl}`]),
  ].join(' ');
}
