export { type AdmissionRule, bundleAdmission, endpointAdmission, serverAdmission } from './admission.ts';
export type { Capabilities, RateBucket } from './capabilities.ts';
export type { ChangeOutcome, Receipt, SyncState, TxtChange } from './change.ts';
export {
  type Disposition,
  dispositionOf,
  isProviderError,
  ProviderError,
  type ProviderErrorDetails,
  type ProviderErrorKind,
  providerErrorKinds,
  type RequiredAction,
} from './error.ts';
export {
  type ConfigProblem,
  defineProvider,
  isProviderPlugin,
  type KnownError,
  type Permission,
  type PolicyOptions,
  type ProviderPlugin,
  type ReadSecret,
} from './plugin.ts';
export type { CallContext, CheckItem, Clock, DnsProvider, ProviderHost, RandomBytes } from './provider.ts';
export { caBundleField, endpointField, endpointProblems, secretRef } from './schema.ts';
export { type SecretHandle, type SecretRef, SecretValue } from './secret.ts';
export { type Static, type TObject, type TString, Type } from './type.ts';
export type { RecordTarget, Zone } from './zone.ts';
