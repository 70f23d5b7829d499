export { type ConformanceOptions, describeProvider } from './conformance/describe-provider.ts';
export { fieldsOf, fieldsTable } from './conformance/fields-table.ts';
export type { Fixture, Observed, Secrets } from './conformance/fixture.ts';
export { Lab } from './conformance/lab.ts';
export type { Step } from './conformance/step.ts';
export { steps } from './conformance/steps.ts';
