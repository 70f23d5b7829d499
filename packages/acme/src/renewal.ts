/** How long before its end a certificate is renewed: milliseconds, or a share of its lifetime between 0 and 1. */
export type RenewBefore = number | { readonly share: number };

interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const tenDaysMs = 10 * 24 * 3600_000;

/**
 * When to renew, in epoch milliseconds: `renewBefore` before the end; without one, or where it does not fit
 * ({@link renewBeforeProblem}), after two thirds of the lifetime, or half of it when that is under ten days
 * (Let's Encrypt's integration guide).
 */
export function renewalTime(certificate: Validity, renewBefore?: RenewBefore): number {
  const { notBefore, notAfter } = certificate;
  const lifetimeMs = notAfter - notBefore;
  if (renewBefore === undefined || renewBeforeProblem(certificate, renewBefore) !== undefined) {
    return Math.floor(notBefore + (lifetimeMs < tenDaysMs ? lifetimeMs / 2 : (lifetimeMs * 2) / 3));
  }
  return Math.floor(notAfter - beforeEndMs(renewBefore, lifetimeMs));
}

/**
 * Why `renewBefore` cannot be used for this certificate, in words for the user; undefined when it can. One that is not
 * shorter than the lifetime would renew for ever.
 */
export function renewBeforeProblem({ notBefore, notAfter }: Validity, renewBefore: RenewBefore): string | undefined {
  const lifetimeMs = notAfter - notBefore;
  if (typeof renewBefore === 'object' && !(renewBefore.share > 0 && renewBefore.share < 1)) {
    return `renewBefore has to be a share between 0 and 1 of the lifetime, but is ${renewBefore.share}.`;
  }
  const before = beforeEndMs(renewBefore, lifetimeMs);
  if (!(before >= 1)) return 'renewBefore has to be longer than nothing.';
  if (before < lifetimeMs) return undefined;
  return (
    `renewBefore (${hours(before)}) is not shorter than the lifetime that the CA gave this certificate ` +
    `(${hours(lifetimeMs)}); the default is used. Set a shorter one, or a share such as 33%.`
  );
}

function beforeEndMs(renewBefore: RenewBefore, lifetimeMs: number): number {
  return typeof renewBefore === 'number' ? renewBefore : lifetimeMs * renewBefore.share;
}

function hours(ms: number): string {
  return ms < 3600_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 360_000) / 10} h`;
}
