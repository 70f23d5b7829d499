/**
 * Every external effect of the controller, in one list: what changes the state directory or API server, the DNS, or
 * the CA. An effect runs only through {@link effectRunner}, so a crash test can stop the process before and after each one,
 * and can tell when one was not visited.
 */
export const effectNames = [
  'manifests.store',
  'issuer.store-account-key',
  'issuer.register-account',
  'issuer.store-status',
  'certificate.store-issuance',
  'certificate.store-key',
  'certificate.create-order',
  'certificate.store-certificate',
  'certificate.store-status',
  'certificate.delete-order',
  'certificate.delete-key',
  'certificate.request-renewal',
  'order.new-order',
  'order.store-order',
  'order.record-values',
  'order.present',
  'order.respond',
  'order.remove-values',
  'order.settle-values',
  'order.finalize',
  'order.store-status',
  'order.delete-key',
  'order.remove-finalizer',
] as const;
export type EffectName = (typeof effectNames)[number];

/** Called before and after each effect. */
export type EffectHook = (name: EffectName, moment: 'before' | 'after') => void | Promise<void>;

/** Runs one effect between the hook's two calls. */
export type RunEffect = <T>(name: EffectName, run: () => Promise<T>) => Promise<T>;

export function effectRunner(hook?: EffectHook): RunEffect {
  if (hook === undefined) return (_name, run) => run();
  return async (name, run) => {
    await hook(name, 'before');
    const result = await run();
    await hook(name, 'after');
    return result;
  };
}
