export { type ConformanceOptions, describeProvider } from './conformance/describe-provider.ts';
export {
  type ArrangedDay,
  type BadDay,
  type BadDayName,
  badDayNames,
  type Fixture,
  type Observed,
  type Secrets,
} from './conformance/fixture.ts';
export { Lab } from './conformance/lab.ts';
export type { Step } from './conformance/step.ts';
export { steps } from './conformance/steps.ts';
export * from './emulator/index.ts';
export * from './soak/index.ts';
