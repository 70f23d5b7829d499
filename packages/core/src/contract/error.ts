import type { DnsName } from '@zoneproof/dns';

/**
 * Why a provider could not do what was asked. The kind decides what the host does next:
 *
 * auth             wait until the Secret changes: wrong key, expired token, clock off
 * permission       wait until the policy changes: the credentials are right but may not do this
 * zone-not-found   wait until the Issuer or the account changes
 * invalid          stop: the request itself is wrong
 * conflict         apply again at once: somebody else wrote in between
 * rate-limited     pause the whole account until `retryAfterMs` has passed
 * quota            wait until a limit is raised or something is removed
 * unavailable      apply again with backoff: 5xx, time-out, connection reset, SERVFAIL
 * action-required  wait until a person has done what `action` says
 * aborted          the caller's signal fired
 */
export const providerErrorKinds = [
  'auth',
  'permission',
  'zone-not-found',
  'invalid',
  'conflict',
  'rate-limited',
  'quota',
  'unavailable',
  'action-required',
  'aborted',
] as const;
export type ProviderErrorKind = (typeof providerErrorKinds)[number];

/** What the host does about an error, derived from its kind alone. */
export type Disposition = 'retry' | 'reapply' | 'wait-for-change' | 'stop';

/** A record that a person has to create before the provider can work. */
export interface RequiredAction {
  readonly kind: 'create-cname';
  readonly name: DnsName;
  readonly target: DnsName;
}

export interface ProviderErrorDetails {
  readonly kind: ProviderErrorKind;
  /** One line: what happened, to which name, zone or server, and what to do. Never holds a secret. */
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly httpStatus?: number;
  /** The vendor's own code, e.g. `InvalidChangeBatch`, `NOTAUTH/BADKEY`. */
  readonly vendorCode?: string;
  readonly requestId?: string;
  readonly action?: RequiredAction;
  /** True when the request left and nothing tells whether it was carried out. */
  readonly sent?: boolean;
  readonly cause?: unknown;
}

const brand = Symbol.for('zoneproof.ProviderError');

/** The one error type that crosses the provider contract. Recognised by {@link isProviderError}, never by `instanceof`. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly details: ProviderErrorDetails;

  constructor(details: ProviderErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ProviderError';
    this.kind = details.kind;
    this.details = details;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for a ProviderError of any copy of this package. */
export function isProviderError(value: unknown): value is ProviderError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

export function dispositionOf(kind: ProviderErrorKind): Disposition {
  switch (kind) {
    case 'rate-limited':
    case 'unavailable':
      return 'retry';
    case 'conflict':
      return 'reapply';
    case 'auth':
    case 'permission':
    case 'zone-not-found':
    case 'quota':
    case 'action-required':
      return 'wait-for-change';
    case 'invalid':
    case 'aborted':
      return 'stop';
  }
}
