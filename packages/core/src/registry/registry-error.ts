export type RegistryErrorKind = 'not-installed' | 'duplicate' | 'unusable' | 'plugin-dir';

/** Why there is no plugin for a block key. The message names the packages and what to do. */
export class RegistryError extends Error {
  readonly kind: RegistryErrorKind;
  readonly packages: readonly string[];

  constructor(kind: RegistryErrorKind, message: string, packages: readonly string[], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RegistryError';
    this.kind = kind;
    this.packages = packages;
  }
}
