import type { FindingResult } from '../finding.ts';

/** A case of a judgement. */
export type Row<Input> = readonly [title: string, input: Input, result: FindingResult, detail: RegExp];

export function expectVerdict(
  verdict: { readonly result: FindingResult; readonly detail: string },
  result: FindingResult,
  detail: RegExp,
): void {
  expect(verdict).toMatchObject({ result, detail: expect.stringMatching(detail) });
  // One line, without a final stop.
  expect(verdict.detail).toMatch(/^[^\n]*[^.\n]$/);
}
