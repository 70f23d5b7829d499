import type { ProviderPlugin } from '@zoneproof/core';

/** A provider with one defect, and the step that has to reject it for that very reason. */
export interface BrokenProvider {
  /** Completes "a provider that ...". */
  readonly defect: string;
  /** `A1`, `E8 clock-off` */
  readonly rejectedBy: string;
  /** What the step has to say. */
  readonly because: RegExp;
  readonly plugin: ProviderPlugin;
  /** For the service with two slots a name. */
  readonly slots?: true;
}
