/** Error types of RFC 8555 6.7 (and the profiles draft) with the HTTP status each is sent with unless told otherwise. */
const statusOf = {
  accountDoesNotExist: 400,
  badCSR: 400,
  badNonce: 400,
  badPublicKey: 400,
  badSignatureAlgorithm: 400,
  caa: 403,
  connection: 400,
  dns: 400,
  externalAccountRequired: 403,
  incorrectResponse: 403,
  invalidContact: 400,
  invalidProfile: 400,
  malformed: 400,
  orderNotReady: 403,
  rateLimited: 429,
  rejectedIdentifier: 400,
  serverInternal: 500,
  unauthorized: 403,
  unsupportedContact: 400,
  unsupportedIdentifier: 400,
  userActionRequired: 403,
} as const;

export type ProblemType = keyof typeof statusOf;

/** One name's part of a problem (RFC 8555 6.7.1). */
export interface Subproblem {
  readonly type: ProblemType;
  readonly detail: string;
  readonly name: string;
}

export interface ProblemDetails {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly subproblems?: readonly Subproblem[];
  /** Further members of the document, such as `algorithms` of badSignatureAlgorithm. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** A refusal as the CA sends it: an RFC 7807 document with a type under `urn:ietf:params:acme:error:`. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly document: Readonly<Record<string, unknown>>;

  constructor(type: ProblemType, detail: string, more: ProblemDetails = {}) {
    super(detail);
    this.name = 'Problem';
    this.type = type;
    this.status = more.status ?? statusOf[type];
    this.headers = more.headers ?? {};
    this.document = {
      type: urn(type),
      detail,
      status: this.status,
      ...(more.subproblems && {
        subproblems: more.subproblems.map((sub) => ({
          type: urn(sub.type),
          detail: sub.detail,
          identifier: { type: 'dns', value: sub.name },
        })),
      }),
      ...more.members,
    };
  }
}

const urn = (type: ProblemType): string => `urn:ietf:params:acme:error:${type}`;
