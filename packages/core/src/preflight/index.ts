export type { CaFacts, PreflightCa } from './ca.ts';
export type { PreflightOptions } from './context.ts';
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
export { createPreflight, type DenialRequest, type Preflight, type PreflightReport, preflight } from './preflight.ts';
export type { PreflightTarget } from './target.ts';
export type { ProbeWriter } from './write-probe.ts';
