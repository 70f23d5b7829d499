export type { CaFacts, PreflightCa } from './ca.ts';
export {
  type CheckId,
  checkTitles,
  type Facts,
  type Finding,
  type FindingResult,
  type Subject,
  type Verdict,
  worstFirst,
  worstOf,
} from './finding.ts';
export type { TrustAnchor } from './observe-trust.ts';
export {
  createPreflight,
  type Preflight,
  type PreflightOptions,
  type PreflightReport,
  type PreflightTarget,
  preflight,
} from './preflight.ts';
export type { RouteObservation } from './provider.ts';
export type { ProbeWriter } from './write-probe.ts';
