import { AcmeProblem, AcmeProtocolError, AcmeUnavailableError } from '@zoneproof/acme';
import { isAddressDenied, isProviderError, LocateError, type ProviderErrorKind, RegistryError } from '@zoneproof/core';
import { isKubeApiError } from '../kubernetes/api-error.ts';
import { ForeignSecretError, SecretUnreadableError } from '../store/store.ts';
import type { Reason } from './reasons.ts';

/**
 * Why an object cannot go on, in the form in which it is shown.
 *
 * retry   the outside may recover by itself: again with backoff, not before `retryAt`
 * change  a person has to change something; looked at again on every change and at a slow pace
 * final   this order is lost; the Certificate begins a new one later
 */
export class Problem extends Error {
  readonly reason: Reason;
  readonly cure: 'retry' | 'change' | 'final';
  /** Epoch milliseconds. */
  readonly retryAt: number | undefined;

  constructor(reason: Reason, message: string, cure: Problem['cure'], retryAt?: number, cause?: unknown) {
    super(inOneLine(message), cause === undefined ? undefined : { cause });
    this.name = 'Problem';
    this.reason = reason;
    this.cure = cure;
    this.retryAt = retryAt;
  }
}

const maxMessage = 2048;

/**
 * What others say may stand in a message, whoever passes it on: it goes into conditions, Events and terminals, so it has no
 * control characters and an end. An API server that allows less would refuse the whole status.
 */
export function inOneLine(text: string): string {
  const flat = text
    .slice(0, 2 * maxMessage)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return flat.length <= maxMessage ? flat : `${flat.slice(0, maxMessage - 3)}...`;
}

const reasonOfProviderError: Readonly<Record<ProviderErrorKind, readonly [Reason, Problem['cure']]>> = {
  auth: ['CredentialsRefused', 'change'],
  permission: ['PermissionDenied', 'change'],
  'zone-not-found': ['ZoneNotFound', 'change'],
  invalid: ['ProviderRejected', 'change'],
  conflict: ['WriteConflict', 'retry'],
  'rate-limited': ['ProviderRateLimited', 'retry'],
  quota: ['QuotaReached', 'change'],
  unavailable: ['ProviderUnavailable', 'retry'],
  'action-required': ['ActionRequired', 'change'],
  aborted: ['Interrupted', 'retry'],
};

/** The words for an error of a provider. */
export function reasonOfKind(kind: ProviderErrorKind): Reason {
  return reasonOfProviderError[kind][0];
}

/** Tells any error of a layer below as a Problem. Anything unforeseen is `InternalError`, without its stack. */
export function toProblem(error: unknown, now: number): Problem {
  if (error instanceof Problem) return error;
  // Before what each layer made of it: there is nothing to wait for, somebody has to name another host.
  if (error instanceof Error && isAddressDenied(error))
    return new Problem('AddressNotAllowed', error.message, 'change', undefined, error);
  if (isProviderError(error)) {
    const [reason, cure] = reasonOfProviderError[error.kind];
    const after = error.details.retryAfterMs;
    return new Problem(reason, error.message, cure, after === undefined ? undefined : now + after, error);
  }
  if (error instanceof AcmeProblem) return fromAcmeProblem(error, now);
  if (error instanceof AcmeUnavailableError) {
    const after = error.retryAfterMs;
    return new Problem('CAUnavailable', error.message, 'retry', after === undefined ? undefined : now + after, error);
  }
  if (error instanceof AcmeProtocolError)
    return new Problem('CAProtocolError', error.message, 'retry', undefined, error);
  if (error instanceof LocateError) return new Problem('ZoneNotLocated', error.message, 'retry', undefined, error);
  if (error instanceof RegistryError)
    return new Problem('ProviderNotInstalled', error.message, 'change', undefined, error);
  if (error instanceof SecretUnreadableError)
    return new Problem('SecretUnreadable', error.message, error.isTransient ? 'retry' : 'change', undefined, error);
  if (error instanceof ForeignSecretError)
    return new Problem('SecretNotOurs', error.message, 'change', undefined, error);
  if (isKubeApiError(error)) return new Problem('StateNotWritable', error.message, 'retry', undefined, error);
  const text = error instanceof Error ? error.message : String(error);
  if (isFromSystem(error))
    return new Problem(
      'StateNotWritable',
      `The state directory cannot be written: ${text}.`,
      'retry',
      undefined,
      error,
    );
  return new Problem('InternalError', `This should not happen, please report it: ${text}`, 'retry', undefined, error);
}

/** Disk full, read-only, over quota: an error of a system call. Those of sockets were told by the layers below. */
function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E(NOSPC|DQUOT|ROFS|IO|ACCES|PERM)$/.test(String(error.code));
}

function fromAcmeProblem(error: AcmeProblem, now: number): Problem {
  const retryAt = error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs;
  const problem = (reason: Reason, cure: Problem['cure'], at = retryAt): Problem =>
    new Problem(reason, error.message, cure, at, error);
  switch (error.type) {
    case 'rateLimited':
      // Without Retry-After Let's Encrypt has paused the identifier: only a person can unpause it.
      return retryAt === undefined
        ? problem('CAPaused', 'change', now + 86_400_000)
        : problem('CARateLimited', 'retry');
    case 'caa':
      return problem('CAAForbids', 'final');
    case 'userActionRequired':
      return problem('TermsOfServiceNotAgreed', 'change');
    case 'externalAccountRequired':
      return problem('ExternalAccountRequired', 'change');
    case 'accountDoesNotExist':
      return problem('AccountNotValid', 'change');
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
      return problem('NameRejected', 'final');
    case 'badCSR':
    case 'badPublicKey':
      return problem('KeyRejected', 'final');
    case 'unauthorized':
      return problem('CARefused', 'final');
    default:
      return error.httpStatus >= 500 || error.httpStatus === 429 || error.disposition.startsWith('retry')
        ? problem('CAUnavailable', 'retry')
        : problem('CARefused', 'final');
  }
}
